/** Texts of about 7, 20 and 130 tokens, and how many batches of them make a round. */
export const embeddingTexts = [
  ['short', 8, (mark: string, index: number) => `Weather ${index} ${mark}`],
  [
    'sentences',
    8,
    (mark: string, index: number) =>
      `Sentence ${index} of ${mark} says that the weather on day ${index} was fine.`,
  ],
  [
    'long',
    1,
    (mark: string, index: number) =>
      `${mark}-${index}: ${'the weather on this day was as fine as could be '.repeat(8 + (index % 5))}`,
  ],
] as const;
