interface EmbeddingTexts {
  name: string;
  /** Batches of 32 in a round. */
  batches: number;
  /** Our speed relative to a text per run. */
  singleGoal: number;
  /** Our speed, with a scale per row and over HTTP, relative to padded batches. */
  batchGoal: number;
  text(mark: string, index: number): string;
}

/** Texts of about 7, 20 and 130 tokens. */
export const embeddingTexts: EmbeddingTexts[] = [
  {
    name: 'short',
    batches: 8,
    singleGoal: 1.2,
    batchGoal: 0.6,
    text: (mark, index) => `Weather ${index} ${mark}`,
  },
  {
    name: 'sentences',
    batches: 8,
    singleGoal: 1.1,
    batchGoal: 0.6,
    text: (mark, index) => `Sentence ${index} of ${mark} says that the weather on day ${index} was fine.`,
  },
  {
    name: 'long',
    batches: 1,
    singleGoal: 0.75,
    batchGoal: 0.9,
    text: (mark, index) =>
      `${mark}-${index}: ${'the weather on this day was as fine as could be '.repeat(8 + (index % 5))}`,
  },
];
