/** What the choice needs to know of a sequence. */
export interface SequenceView {
  busy: boolean;
  /** Tokens that the sequence holds now. */
  tokens: readonly number[];
  /** Tokens that it will hold once the prompt it is evaluating is done; empty where it evaluates none. */
  expected: readonly number[];
  lastUsed: number;
}

export interface SequenceChoice<Sequence> {
  sequence: Sequence;
  /** Take the beginning from this one, which is busy or has a conversation of its own worth keeping. */
  copyFrom?: Sequence;
}

/** Below this, evaluating again is as cheap as copying or waiting. */
const worthCopying = 32;

/**
 * Chooses a free sequence for a prompt: the one that shares the longest beginning with it, else the one longest
 * unused. Where a sequence that must not be overwritten shares more, its beginning is copied. Undefined: none is free.
 */
export function chooseSequence<Sequence extends SequenceView>(
  sequences: readonly Sequence[],
  prompt: readonly number[],
): SequenceChoice<Sequence> | undefined {
  const free = sequences.filter((sequence) => !sequence.busy);
  const oldest = least(free, (sequence) => (sequence.tokens.length === 0 ? -1 : sequence.lastUsed));
  if (!oldest) return undefined;
  const own = most(free, (sequence) => sharedLength(sequence.tokens, prompt)) as Sequence;
  const ownLength = sharedLength(own.tokens, prompt);
  const rich = most(sequences, (sequence) => shareable(sequence, prompt)) as Sequence;
  if (rich.busy && shareable(rich, prompt) >= ownLength + worthCopying)
    return { sequence: oldest, copyFrom: rich };
  const losesMoreThanItKeeps = own.tokens.length - ownLength > ownLength;
  if (own !== oldest && ownLength >= worthCopying && losesMoreThanItKeeps)
    return { sequence: oldest, copyFrom: own };
  return { sequence: ownLength > 0 ? own : oldest };
}

export const shareable = (sequence: SequenceView, prompt: readonly number[]): number =>
  Math.max(sharedLength(sequence.tokens, prompt), sharedLength(sequence.expected, prompt));

export function sharedLength(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}

function most<Item>(items: readonly Item[], value: (item: Item) => number): Item | undefined {
  return least(items, (item) => -value(item));
}

function least<Item>(items: readonly Item[], value: (item: Item) => number): Item | undefined {
  let best: { item: Item; value: number } | undefined;
  for (const item of items) {
    const candidate = value(item);
    if (!best || candidate < best.value) best = { item, value: candidate };
  }
  return best?.item;
}
