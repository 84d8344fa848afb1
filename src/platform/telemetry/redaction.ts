/**
 * Keeps secrets out of what leaves the process as text: log lines, error texts, job records.
 * `scrub` works on a string, `redact` on anything that came out of JSON.
 */

export const REDACTED = '[redacted]';

const SECRET_NAME =
  /authorization$|cookie$|apikey$|token$|password$|passwd$|passphrase$|secret$|secretkey$|secretaccesskey$|privatekey$|^credentials?$/;

/** Names that hide numbers too. `token` is not among them: `first_token: 12` is a measurement. */
const SECRET_EVEN_IF_NUMBER = /password$|passwd$|passphrase$|secret$/;

// Every pattern is bounded or anchored on a literal, so a megabyte of hostile text costs linear time.
const PATTERNS: [RegExp, string][] = [
  [/(?<=:\/\/)[^\s/?#"'<>]{1,2000}@/g, `${REDACTED}@`],
  [
    /([?&](?:[a-z_-]{0,20}token|[a-z_-]{0,20}key|[a-z_-]{0,20}secret|password|sig|x-amz-credential|[a-z-]{0,20}signature)=)[^&\s#"'<>]+/gi,
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

/** Most strings hold nothing like a secret: one look spares them the patterns. */
const SUSPICIOUS =
  /:\/\/|[?&]|authorization|bearer|basic|cookie|key|token|passw|passphrase|secret|rh-|hf_|sk-|ghp_|glpat-|xox/i;

/** Removes keys, tokens, passwords and credentials in URLs from a text meant for a log or a person. */
export function scrub(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let result = text;
  for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
  return result;
}

/** A copy with the values of secret-named keys replaced, at any depth, and every other string scrubbed. */
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
