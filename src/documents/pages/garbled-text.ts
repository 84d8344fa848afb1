import type { Word } from '../layout/page-content.ts';

const vowels = /[aeiouyàáâäåæèéêëìíîïòóôöøùúûüýœаеёиоуыэюяієїґαεηιουω]/iu;
/** Shifted codes have fewer. */
const fewestVowels = 0.22;
/** Fewer words do not tell. */
const fewest = 12;

export interface TextFacts {
  words: Pick<Word, 'text'>[];
  characters: number;
  unmapped: number;
}

/** Whether a page's text is nonsense because its fonts do not say which letters their glyphs are. */
export function isGarbled({ words, characters, unmapped }: TextFacts): boolean {
  if (characters > 0 && unmapped > 0.08 * characters && unmapped > 4) return true;
  const long = words.map((word) => trimmed(word.text)).filter((text) => text.length >= 4);
  if (long.length < fewest) return false;
  return long.filter(isImprobable).length > 0.45 * long.length || vowelShare(long) < fewestVowels;
}

/** Of the letters of words in alphabets with vowels; a third or more in any language. */
function vowelShare(words: string[]): number {
  const letters = words.join('').match(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/gu) ?? [];
  return letters.length < 60 ? 1 : letters.filter((letter) => vowels.test(letter)).length / letters.length;
}

const trimmed = (text: string) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/** No vowel, capitals in the middle, or letters mixed with signs: rare in any language, common in shifted codes. */
function isImprobable(text: string): boolean {
  if (/^[\d\s.,:/-]+$/.test(text) || /^\S+@\S+$|^https?:|^www\./.test(text)) return false;
  const letters = text.replace(/[^\p{L}]/gu, '');
  if (
    /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Georgian}\p{Script=Armenian}]/u.test(
      letters,
    )
  )
    return false;
  if (letters.length < 0.6 * text.length) return !/^[\d.,%-]+\p{L}{0,4}$/u.test(text);
  if (!vowels.test(letters)) return letters !== letters.toUpperCase() || letters.length > 5;
  return /\p{Ll}\p{Lu}\p{Ll}*\p{Lu}/u.test(text) || /\p{L}[!"#$%&()*+;<=>?@[\\\]^`{|}~]+\p{L}/u.test(text);
}
