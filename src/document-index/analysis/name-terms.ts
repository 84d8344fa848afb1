import { soundKey } from './sound-key.ts';
import { foldWord, stemWord } from './stem-word.ts';
import { stopWords } from './stop-words.ts';

const capitalised = /^\p{Lu}\p{L}{2,}$/u;
const isCyrillic = /^\p{Script=Cyrillic}/u;

/** The term by which a question in the other script finds a name: `Christopher` is found by `Кристофер`. */
export function nameTerm(word: string): string | null {
  return capitalised.test(word) ? termOf(word, isCyrillic.test(word) ? 'cyrillic' : 'latin') : null;
}

/** The term that a question looks for in texts of the other script. */
export function crossScriptTerm(word: string): string | null {
  return capitalised.test(word) ? termOf(word, isCyrillic.test(word) ? 'latin' : 'cyrillic') : null;
}

/** The script is part of the term, so that a name does not count twice within one script. */
function termOf(word: string, script: 'cyrillic' | 'latin'): string | null {
  const folded = foldWord(word);
  if (stopWords.has(folded)) return null;
  // English stems lose endings that names need: `Christoph`.
  const key = soundKey(isCyrillic.test(folded) ? stemWord(folded) : folded);
  return key === null ? null : `${script}~${key}`;
}
