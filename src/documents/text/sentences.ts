const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
/** Abbreviations after which a sentence goes on. */
const abbreviation =
  /(?:^|[\s(])(?:[A-ZА-ЯЁ]|mr|mrs|ms|dr|prof|st|no|fig|e\.g|i\.e|etc|vs|г|гг|ул|д|стр|рис|табл|им|т\.\s?[едпк]|см|др|руб|тыс|млн|млрд)\.\s*$/iu;

/** The sentences of a text, in order, with the white space after each; together they are the text. */
export function sentences(text: string): string[] {
  const found: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const last = found.at(-1);
    if (last !== undefined && abbreviation.test(last)) found[found.length - 1] = last + segment;
    else found.push(segment);
  }
  return found;
}

const punctuation = /[\p{P}\p{S}]+/gu;

/** How many sentences have at least `shortest` words. */
export function countSentences(text: string, shortest: number): number {
  return sentences(text).filter(
    (sentence) => sentence.replace(punctuation, ' ').split(/\s+/u).filter(Boolean).length >= shortest,
  ).length;
}
