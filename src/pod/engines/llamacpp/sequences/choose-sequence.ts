/** A sequence as the choice sees it. */
export interface SequenceView {
  busy: boolean;
  /** Tokens that the sequence contains now. */
  tokens: readonly number[];
  /** Tokens that it will contain once its current prompt is evaluated; empty if none is being evaluated. */
  expected: readonly number[];
  lastUsed: number;
}

export interface SequenceChoice<Sequence> {
  sequence: Sequence;
  /** Copy the shared prefix from this sequence, which is busy or contains a conversation worth keeping. */
  copyFrom?: Sequence;
}

/** Minimum number of tokens for a copy. Evaluating fewer again is as cheap as copying or waiting. */
const minCopied = 32;

/**
 * Chooses a free sequence for a prompt: the one with the longest shared prefix, or else one that may be overwritten.
 * If a sequence that must not be overwritten shares more, its prefix is copied. Returns undefined if none is free.
 * `sequences` are ordered by number.
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
  const richest = most(sequences, (sequence) => shareable(sequence, prompt)) as Sequence;
  if (richest.busy && shareable(richest, prompt) >= ownLength + minCopied)
    return { sequence: spare, copyFrom: richest };
  const losesMoreThanItKeeps = own.tokens.length - ownLength > ownLength;
  if (own !== spare && ownLength >= minCopied && losesMoreThanItKeeps)
    return { sequence: spare, copyFrom: own };
  return { sequence: ownLength > 0 ? own : spare };
}

/**
 * Picks a sequence to overwrite from the less recently used half. llama.cpp batches only sequences with consecutive
 * numbers, so the one that leaves the fewest gaps between busy sequences is chosen.
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
