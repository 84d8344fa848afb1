/**
 * Removes secrets from text that leaves the process: log lines, error messages, job records.
 * `scrub` takes a string, `redact` any JSON value.
 */

export const REDACTED = '[redacted]';

const SECRET_NAME =
  /authorization$|cookie$|apikey$|token$|password$|passwd$|passphrase$|secret$|secretkey$|secretaccesskey$|privatekey$|^credentials?$/;

/** Names whose numbers are redacted too. Not `token`: `first_token: 12` is a measurement. */
const SECRET_EVEN_IF_NUMBER = /password$|passwd$|passphrase$|secret$/;

// Every pattern is bounded or anchored on a literal, so that hostile text takes linear time.
const PATTERNS: [RegExp, string][] = [
  [/(?<=:\/\/)[^\s/?#"'<>]{1,2000}@/g, `${REDACTED}@`],
  [
    /([?&](?:[a-z_-]{0,20}token|[a-z_-]{0,20}key|[a-z_-]{0,20}secret|password|passwd|pass|pwd|auth|jwt|sig|x-amz-credential|[a-z-]{0,20}signature)=)[^&\s#"'<>]+/gi,
    `$1${REDACTED}`,
  ],
  [
    /(authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:(?:bearer|basic|token|digest)\s+)?)[^\s"',;\\]+/gi,
    `$1${REDACTED}`,
  ],
  [/((?:bearer|basic)\s{1,3})[a-z0-9._~+/=-]{8,}/gi, `$1${REDACTED}`],
  [/(cookie\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\s"'\\][^"'\n\\]*/gi, `$1${REDACTED}`],
  [
    /((?:api[-_]?key|token|password|passwd|passphrase|secret(?:_access)?(?:_key)?|secretAccessKey)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?!\[redacted)[^\s"',;&\\]+/gi,
    `$1${REDACTED}`,
  ],
  [/(?<![A-Za-z0-9])(rh-)[A-Za-z0-9_-]{20,}/g, `$1${REDACTED}`],
  [/(?<![A-Za-z0-9])(hf_|sk-|ghp_|glpat-|xox[abp]-)[A-Za-z0-9_-]{16,}/g, `$1${REDACTED}`],
];

/** A quick test that lets most strings skip the patterns. */
const SUSPICIOUS =
  /:\/\/|[?&]|authorization|bearer|basic|cookie|key|token|passw|passphrase|secret|rh-|hf_|sk-|ghp_|glpat-|xox/i;

/** Removes keys, tokens, passwords and URL credentials from text. */
export function scrub(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let result = text;
  for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
  return result;
}

/** Returns a copy in which the values of keys with secret names are replaced, at any depth, and other strings scrubbed. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) result[key] = redactEntry(key, inner);
  return result;
}

function redactEntry(key: string, value: unknown): unknown {
  const name = key.toLowerCase().replace(/[-_.\s]/g, '');
  if (!SECRET_NAME.test(name)) return redact(value);
  if (value === null || value === '' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && !SECRET_EVEN_IF_NUMBER.test(name)) return value;
  return REDACTED;
}
