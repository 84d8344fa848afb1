/** English articles carry nothing; Russian has none. */
const articles = new Set(['a', 'an', 'the']);

/**
 * The words of an answer as SQuAD compares them: without case, punctuation and articles. In Russian also without the
 * difference between е and ё and without stress marks. й is a letter of its own, so it keeps its mark.
 */
export function answerWords(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/и\u0306/g, 'й')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=\d)[\s\u00a0](?=\d{3}(?!\d))/g, '');
  const words = plain.match(/[\p{L}\p{N}]+(?:[.,](?=\d)\d+)*/gu) ?? [];
  return words.filter((word) => !articles.has(word));
}

/** The same as one text, for finding an answer in a passage. */
export const answerText = (text: string): string => ` ${answerWords(text).join(' ')} `;

/** Whether a text contains an answer, word for word. */
export function containsAnswer(text: string, answer: string): boolean {
  const wanted = answerText(answer);
  return wanted.trim() !== '' && answerText(text).includes(wanted);
}
