import { literal, type Rules } from './rules.ts';

/**
 * Matches one of many texts with a prefix tree, so that the grammar follows one branch per character instead of one
 * per text.
 */
export function choiceRule(rules: Rules, texts: readonly string[]): string {
  const sorted = [...new Set(texts)].sort();
  const branches = (from: number, to: number, offset: number): string => {
    const parts: string[] = [];
    for (let start = from; start < to; ) {
      const first = sorted[start] as string;
      if (first.length === offset) {
        parts.push('""');
        start++;
        continue;
      }
      const character = first.codePointAt(offset);
      let end = start + 1;
      while (end < to && (sorted[end] as string).codePointAt(offset) === character) end++;
      const shared = sharedLength(first, sorted[end - 1] as string, offset);
      const rest = end - start === 1 ? '' : ` ${rules.add(branches(start, end, shared))}`;
      parts.push(`${literal(first.slice(offset, end - start === 1 ? undefined : shared))}${rest}`);
      start = end;
    }
    return parts.join(' | ');
  };
  return branches(0, sorted.length, 0);
}

/** Returns where two texts that are equal up to `offset` begin to differ, never inside a surrogate pair. */
function sharedLength(first: string, last: string, offset: number): number {
  let length = offset;
  while (length < first.length && first.charCodeAt(length) === last.charCodeAt(length)) length++;
  const before = first.charCodeAt(length - 1);
  return before >= 0xd800 && before <= 0xdbff ? length - 1 : length;
}
