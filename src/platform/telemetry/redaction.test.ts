import { describe, expect, it } from 'vitest';
import { redact, scrub } from './redaction.ts';

const key = `rh-${'x9Y0'.repeat(10)}`;

describe('scrub', () => {
  const secrets: [string, string][] = [
    [`key ${key} is unknown`, key],
    [`session_${key}`, key],
    [`authorization: ${key}`, key],
    ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['sent Bearer abc.def-ghi_jkl', 'abc.def-ghi_jkl'],
    ['{"authorization":"Bearer abcdefgh12345678"}', 'abcdefgh12345678'],
    ['{\\"password\\":\\"pa55\\"}', 'pa55'],
    ['GET https://user:pa55@host/path', 'pa55'],
    ['GET https://pa55tokenonly@host/path', 'pa55tokenonly'],
    ['GET https://host/file?token=pa55&x=1', 'pa55'],
    ['GET https://host/file?page=1&pwd=pa55', 'pa55'],
    ['GET https://host/file?jwt=pa55', 'pa55'],
    ['GET https://b.s3/k?X-Amz-Signature=deadbeef&X-Amz-Credential=AKIA1', 'deadbeef'],
    ['HF_TOKEN=pa55', 'pa55'],
    ['unstructured-api-key: pa55', 'pa55'],
    ["api-key='pa55'", 'pa55'],
    ['Cookie: a=pa55; b=pa55', 'pa55'],
    ['secret_access_key=pa55', 'pa55'],
    ['using hf_abcdefghijklmnopqrst', 'hf_abcdefghijklmnopqrst'],
  ];
  it.each(secrets)('%s', (text, secret) => {
    expect(scrub(text)).not.toContain(secret);
    expect(scrub(text)).toContain('[redacted]');
  });

  it.each([
    'model not found: qwen3-0.6b',
    'max_tokens: 512 exceeds the context of 256 tokens',
    'https://example.org/a/b?page=2',
    'https://example.org/a?author=Poe&passage=2',
    'pod rh-embeddings-1 is slow',
    'mail someone@example.org',
  ])('leaves alone: %s', (text) => {
    expect(scrub(text)).toBe(text);
  });

  it('gives the same when done twice', () => {
    for (const [text] of secrets) expect(scrub(scrub(text))).toBe(scrub(text));
  });
});

describe('redact', () => {
  it('copies, and leaves the original as it was', () => {
    const original = { headers: { authorization: key }, list: [1, null, true] };
    expect(redact(original)).toEqual({ headers: { authorization: '[redacted]' }, list: [1, null, true] });
    expect(original.headers.authorization).toBe(key);
  });
});
