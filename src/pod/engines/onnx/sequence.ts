/** One tokenized input. */
export interface Sequence {
  ids: Int32Array;
  /** Which of the two texts each token belongs to; absent for a single text. */
  types?: Int32Array;
}

/** Number of special tokens that the tokenizer's template adds before and after the text. */
export interface Frame {
  before: number;
  after: number;
}

/** Truncates the text, but keeps the special tokens after it. */
export function cut(sequence: Sequence, frame: Frame, maxTokens: number): Sequence {
  if (sequence.ids.length <= maxTokens) return sequence;
  const shorten = (values: Int32Array) => {
    const kept = new Int32Array(maxTokens);
    kept.set(values.subarray(0, maxTokens - frame.after));
    kept.set(values.subarray(values.length - frame.after), maxTokens - frame.after);
    return kept;
  };
  return { ids: shorten(sequence.ids), ...(sequence.types ? { types: shorten(sequence.types) } : {}) };
}
