import type { Word } from '../layout/page-content.ts';

/** Letters of Windows-1251 where Latin-1 has others. */
const cyrillic = new Map<string, string>([
  ['¨', 'Ё'],
  ['¸', 'ё'],
  ['¹', '№'],
  ...Array.from({ length: 64 }, (_, index): [string, string] => [
    String.fromCharCode(0xc0 + index),
    String.fromCharCode(0x410 + index),
  ]),
]);

/** Old Russian writers store Windows-1251 without saying so: "Ïðèâåò" is read as "Привет". */
export function repairEncoding<Kind extends Pick<Word, 'text'>>(words: Kind[]): Kind[] {
  const text = words.map((word) => word.text).join('');
  const upper = text.match(/[À-ÿ]/g)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  // No language that is written in Latin letters has so many accents.
  if (upper < 10 || upper < 0.6 * letters) return words;
  return words.map((word) => ({
    ...word,
    text: word.text.replace(/[À-ÿ¨¸¹]/g, (letter) => cyrillic.get(letter) ?? letter),
  }));
}
