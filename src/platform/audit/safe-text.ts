import { redact, scrub } from '../telemetry/redaction.ts';

const longestSubject = 256;
const longestText = 500;
const mostItems = 50;

/** A name as it is stored: without secrets or control characters, at most 256 characters. */
export const safeSubject = (text: string) => cut(text, longestSubject);

/** Details as they are stored: without secrets, and bounded, since some of them come from callers. */
export function safeDetails(details: Record<string, unknown>): Record<string, unknown> {
  return bounded(redact(details)) as Record<string, unknown>;
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, longestText);
  if (Array.isArray(value)) {
    const kept = value.slice(0, mostItems).map(bounded);
    return value.length > mostItems ? [...kept, `… and ${value.length - mostItems} more`] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bounded(inner)]));
}

/**
 * Secrets first: half a key would no longer be recognised as one. PostgreSQL refuses NUL, and a terminal obeys
 * control characters.
 */
function cut(text: string, longest: number): string {
  const clean = scrub(text)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '�');
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
