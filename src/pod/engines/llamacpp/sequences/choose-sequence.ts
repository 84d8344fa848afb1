/** What the choice needs to know about a sequence. */
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
  /** Copy the beginning from this one, which is busy or holds a conversation worth keeping. */
  copyFrom?: Sequence;
}

/** Tokens. Evaluating fewer again is as cheap as copying or waiting. */
const worthCopying = 32;

/**
 * Chooses a free sequence for a prompt: the one that shares the longest beginning with it, else one that may be
 * overwritten. If a sequence that must not be overwritten shares more, its beginning is copied. Returns undefined if
 * none is free. `sequences` are in the order of their numbers.
 */
export function chooseSequence<Sequence extends SequenceView>(
  sequences: readonly Sequence[],
  prompt: readonly number[],
): SequenceChoice<Sequence> | undefined {
  const free = sequences.filter((sequence) => !sequence.busy);
  const spare = chooseSpare(sequences, free);
  if (!spare) return undefined;
  const own = most(free, (sequence) => sharedLength(sequence.tokens, prompt)) as Sequence;
  const ownLength = sharedLength(own.tokens, prompt);
  const rich = most(sequences, (sequence) => shareable(sequence, prompt)) as Sequence;
  if (rich.busy && shareable(rich, prompt) >= ownLength + worthCopying)
    return { sequence: spare, copyFrom: rich };
  const losesMoreThanItKeeps = own.tokens.length - ownLength > ownLength;
  if (own !== spare && ownLength >= worthCopying && losesMoreThanItKeeps)
    return { sequence: spare, copyFrom: own };
  return { sequence: ownLength > 0 ? own : spare };
}

/**
 * A sequence to overwrite, from the half that has been unused the longest. llama.cpp computes together only sequences
 * whose numbers follow each other, so the one that leaves the fewest gaps between busy sequences is taken.
 */
function chooseSpare<Sequence extends SequenceView>(
  sequences: readonly Sequence[],
  free: readonly Sequence[],
): Sequence | undefined {
  const age = (sequence: Sequence) => (sequence.tokens.length === 0 ? -1 : sequence.lastUsed);
  const oldest = free.toSorted((a, b) => age(a) - age(b)).slice(0, Math.ceil(free.length / 2));
  return least(oldest, (candidate) => {
    const runs = sequences.map((sequence) => sequence.busy || sequence === candidate);
    return runs.filter((busy, index) => busy && !runs[index - 1]).length;
  });
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
