/** Letters that look the same in both scripts. */
const pairs = [
  'аa',
  'еe',
  'оo',
  'рp',
  'сc',
  'уy',
  'хx',
  'кk',
  'мm',
  'тt',
  'нh',
  'вb',
  'пn',
  'АA',
  'ВB',
  'ЕE',
  'КK',
  'МM',
  'НH',
  'ОO',
  'РP',
  'СC',
  'ТT',
  'УY',
  'ХX',
];
const toLatin = new Map(pairs.map((pair) => [pair.charAt(0), pair.charAt(1)]));
const toCyrillic = new Map(pairs.map((pair) => [pair.charAt(1), pair.charAt(0)]));

/** The words of a line, with letters that OCR took from the wrong script replaced. */
export function repairLookAlikes(words: string[]): string[] {
  const line = words.join(' ');
  const cyrillic = count(line, /[а-яё]/gi);
  const latin = count(line, /[a-z]/gi);
  return words.map((word) => {
    const [own, other] = [count(word, /[а-яё]/gi), count(word, /[a-z]/gi)];
    if (own > 0 && other > 0)
      return own >= other ? replace(word, /[a-z]/gi, toCyrillic) : replace(word, /[а-яё]/gi, toLatin);
    if (own > 0 && latin > 3 * cyrillic && own <= 3) return replace(word, /[а-яё]/gi, toLatin);
    if (other > 0 && cyrillic > 3 * latin && other <= 2) return replace(word, /[a-z]/gi, toCyrillic);
    return word;
  });
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Only if every letter has a counterpart: half of a word in the other script would be worse. */
function replace(word: string, pattern: RegExp, letters: Map<string, string>): string {
  if (!(word.match(pattern) ?? []).every((letter) => letters.has(letter))) return word;
  return word.replace(pattern, (letter) => letters.get(letter) ?? letter);
}
