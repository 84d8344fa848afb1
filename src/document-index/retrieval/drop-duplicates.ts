import { termsOf } from '../analysis/terms.ts';

/** Two texts that share at least this much of their terms say the same. */
const alike = 0.9;

/** Leaves out texts that hardly differ from an earlier one, such as a page that is in two documents. */
export function dropDuplicates<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  const kept: { item: Item; terms: Set<number>; numbers: string }[] = [];
  for (const item of items) {
    const text = textOf(item);
    const terms = new Set(termsOf(text.toLowerCase()).terms);
    // Two months of the same report differ only in their figures.
    const numbers = (text.match(/\d+/g) ?? []).join(' ');
    const isKnown = kept.some(
      (other) => other.numbers === numbers && similarity(other.terms, terms) >= alike,
    );
    if (!isKnown) kept.push({ item, terms, numbers });
  }
  return kept.map(({ item }) => item);
}

/** Shared terms as a part of all terms of both. */
function similarity(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  if (large.size === 0 || small.size < alike * large.size) return 0;
  let shared = 0;
  for (const term of small) if (large.has(term)) shared++;
  return shared / (small.size + large.size - shared);
}
