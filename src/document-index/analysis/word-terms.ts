import { foldWord, stemWord } from './stem-word.ts';
import { stopWords } from './stop-words.ts';

/** Words with all that is joined to them: `role-playing`, `TP-400/2`, `v1.2.3`, `1,250.50`, `C++`, `a.b@c.org`. */
export const joinedWords =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[-‐‑./_&@'’]|(?<=\p{N})[,:](?=\p{N}))[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*(?:\+\+|#)?/gu;

/** A longer word is binary data or a key. Its beginning is enough to find it. */
const longestWord = 64;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const capitals = /^\p{Lu}{2,}$/u;
const plainNumber = /^\d+(?:[.,]\d+)*$/;
const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const acronym = /^(?:\p{L}\.)+\p{L}$/u;
const lettersAndDigits = /\p{L}+|\p{N}+/gu;
/** What follows a number in `19th`, `1990s`, `90-х` and `5-го`. */
const ordinal = /^(?:st|nd|rd|th|s|й|го|му|м|е|х|я|ю|ми|ый|ой|ая|ое|ые|ых|ти)$/;

/** The terms of one match of `joinedWords`: its parts, and the whole where it is a name, number or code. */
export function wordTerms(joined: string): string[] {
  if (unspaced.test(joined)) return characterPairs(joined);
  if (/^[\p{L}\p{M}]+$/u.test(joined)) return plainWord(joined);
  const word = withoutPossessive(joined);
  const folded = foldWord(word).replace(/[‐‑]/g, '-').slice(0, longestWord);
  if (plainNumber.test(folded)) return numberTerms(folded);
  if (acronym.test(folded)) return [folded.replaceAll('.', '')];
  const parts = word
    .slice(0, longestWord)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter(Boolean);
  return /\p{N}/u.test(word) ? codeTerms(folded, parts) : compoundTerms(folded, parts);
}

/** Words in capitals are kept even if they look like stop words: `IT`, `WHO`. */
function plainWord(word: string): string[] {
  const folded = foldWord(word);
  if (stopWords.has(folded) && !capitals.test(word)) return [];
  return [stemWord(folded.slice(0, longestWord))];
}

/** `1,250.50` is 1250.50, and `3,5` is 3.5. Dates such as `05.03.2024` are found by their year too. */
function numberTerms(number: string): string[] {
  if (grouped.test(number)) return [number.replaceAll(',', '')];
  const whole = number.replaceAll(',', '.');
  const parts = whole.split('.');
  return parts.length > 2 ? [...new Set([whole, ...parts.filter((digits) => digits.length === 4)])] : [whole];
}

/** `TP-400/2`: tp400/2, tp, 400, 2. Hyphens are left out of the whole, so that `ISO9001` finds `ISO-9001`. */
function codeTerms(folded: string, parts: string[]): string[] {
  const terms = new Set([folded.replace(/[-_'’]/g, '')]);
  for (const piece of parts) {
    const pieces = foldWord(piece).match(lettersAndDigits) ?? [];
    for (const [at, letters] of pieces.entries()) {
      if (at === 0 || !ordinal.test(letters)) terms.add(stemWord(letters));
    }
  }
  const [number, suffix, ...rest] = [...folded.replace(/[-'’]/g, '').matchAll(lettersAndDigits)].map(
    ([text]) => text,
  );
  if (number && suffix && rest.length === 0 && /^\p{N}/u.test(number) && ordinal.test(suffix))
    return [number];
  return [...terms];
}

/** `role-playing`: role, play, and roleplay. `O'Brien`: obrien. */
function compoundTerms(folded: string, parts: string[]): string[] {
  const terms = new Set(/['’]/.test(folded) ? [] : parts.flatMap(plainWord));
  if (/[-'’]/.test(folded)) {
    for (const word of folded.split(/[^\p{L}\p{M}'’-]+/u)) {
      const joined = word.replace(/[-'’]/g, '');
      if (joined !== word) terms.add(stemWord(joined));
    }
  } else if (/[+#@]/.test(folded)) terms.add(folded);
  return [...terms];
}

function withoutPossessive(word: string): string {
  return word.replace(/['’]s$/iu, '');
}

/** Scripts without spaces between words are found by pairs of characters. */
function characterPairs(text: string): string[] {
  const characters = [...text.slice(0, 10 * longestWord)];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
