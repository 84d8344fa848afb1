import { describe, expect, it } from 'vitest';
import { checkUrl } from './check-url.ts';

describe('checkUrl', () => {
  it.each([
    ['http://2130706433/x', '127.0.0.1'],
    ['http://0x7f.1/x', '127.0.0.1'],
    ['http://0177.0.0.1/x', '127.0.0.1'],
    ['http://127.1/x', '127.0.0.1'],
    ['http://127。0。0。1/x', '127.0.0.1'],
    ['http://①②⑦.0.0.1/x', '127.0.0.1'],
    ['http://[::FFFF:127.0.0.1]/x', '[::ffff:7f00:1]'],
    ['http://EXAMPLE.com./x', 'example.com.'],
    ['https://портал.рф/x', 'xn--80awhdgm.xn--p1ai'],
  ])('%s is at %s', (text, host) => {
    expect(checkUrl(text).hostname).toBe(host);
  });

  it.each([
    'ftp://example.com/x',
    'file:///etc/passwd',
    'gopher://example.com',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http://user@example.com/',
    'http://user:secret@example.com/',
    'http://example.com:22/',
    'http://example.com:6379/',
    'http://[fe80::1%25eth0]/',
    'http://exa mple.com/',
    'http://',
    'example.com/file.pdf',
    '',
    `http://example.com/${'x'.repeat(9_000)}`,
  ])('refuses %s', (text) => {
    expect(() => checkUrl(text)).toThrow(
      expect.objectContaining({ code: 'address_not_allowed', status: 400 }),
    );
  });

  it('does not repeat a password', () => {
    expect(() => checkUrl('http://user:hunter2@example.com/')).toThrow(/^((?!hunter2).)*$/);
  });

  it('drops the fragment, and keeps ordinary ports', () => {
    expect(checkUrl('https://example.com:8443/a?b=c#d').href).toBe('https://example.com:8443/a?b=c');
  });
});
