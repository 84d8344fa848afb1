/** No API takes anything near this deep; validating or printing much deeper values overflows the stack. */
export const deepestJson = 128;

/** Whether a value has objects and arrays inside each other on more than `limit` levels. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level = isNode(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: object[] = [];
    for (const node of level) {
      const children: unknown[] = Array.isArray(node) ? node : Object.values(node);
      for (const child of children) if (isNode(child)) next.push(child);
    }
    level = next;
  }
  return false;
}

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * Whether an escape in the text stands for half a character. Such strings can't be written as UTF-8: `encodeURIComponent`
 * throws, and the database stores something else. The value must not be nested deeply.
 */
export function hasLoneSurrogates(value: unknown, text: string): boolean {
  return surrogateEscape.test(text) && isIllFormed(value);
}

function isIllFormed(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(isIllFormed);
  return (
    isNode(value) && Object.entries(value).some(([name, inner]) => !name.isWellFormed() || isIllFormed(inner))
  );
}

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;
