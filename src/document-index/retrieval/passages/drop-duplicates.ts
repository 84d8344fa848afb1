import { termsOf } from '../../analysis/terms.ts';

/** Two texts that share at least this much of their terms say the same. */
const alike = 0.9;

/** Texts whose lengths differ more are not compared: that is cheaper than to take them apart. */
const likeLength = 0.7;

interface Kept<Item> {
  item: Item;
  length: number;
  numbers: string;
  terms(): Set<number>;
}

/** Leaves out texts that hardly differ from an earlier one, such as a page that is in two documents. */
export function dropDuplicates<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  const kept: Kept<Item>[] = [];
  for (const item of items) {
    const text = textOf(item);
    const one = {
      item,
      length: text.length,
      // Two months of the same report differ only in their figures.
      numbers: (text.match(/\d+/g) ?? []).join(' '),
      terms: once(() => new Set(termsOf(text.toLowerCase()).terms)),
    };
    const isKnown = kept.some(
      (other) => mayBeAlike(one, other) && similarity(one.terms(), other.terms()) >= alike,
    );
    if (!isKnown) kept.push(one);
  }
  return kept.map(({ item }) => item);
}

function mayBeAlike(one: Kept<unknown>, other: Kept<unknown>): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return one.numbers === other.numbers && shorter.length >= likeLength * longer.length;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Shared terms as a part of all terms of both. */
function similarity(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  if (large.size === 0 || small.size < alike * large.size) return 0;
  let shared = 0;
  for (const term of small) if (large.has(term)) shared++;
  return shared / (small.size + large.size - shared);
}
