/** One input as the model sees it. */
export interface Sequence {
  ids: Int32Array;
  /** Which of two texts a token belongs to; absent where all are of the first. */
  types?: Int32Array;
}

/** What stands around the texts, as the tokenizer's template says: before, between and after them. */
export interface Frame {
  before: number;
  after: number;
}

/** Cuts the text's end off, not the special tokens behind it. */
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
