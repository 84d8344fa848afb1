import { stemmer as stemRussian } from '@orama/stemmers/russian';
import { stem as stemEnglish } from 'porter2';

const cyrillic = /^[а-я]+$/;
const latin = /^[a-z]+$/;

/** The stem of a folded word, by its script: Cyrillic is taken as Russian, Latin as English. */
export function stemWord(word: string): string {
  if (latin.test(word)) return stemEnglish(word);
  return cyrillic.test(word) ? stemRussian(word) : word;
}

const marks = /\p{M}+/gu;

/** Lower case, `ё` as `е`, and Latin letters without accents: `Café` is `cafe`, and `й` stays `й`. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  if (isAscii.test(lower)) return lower;
  const plain = lower.replaceAll('ё', 'е');
  return hasAccents.test(plain) ? plain.normalize('NFD').replace(marks, '') : plain.normalize('NFC');
}

const isAscii = /^[\0-\x7f]*$/;
const hasAccents = /(?=\P{ASCII})\p{Script=Latin}/u;
