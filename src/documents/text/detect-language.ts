import { cyrillicWords, latinWords } from './language-words.ts';

/** Scripts that one language uses, or that tell the language well enough. */
const scripts: [RegExp, string][] = [
  [/\p{Script=Hiragana}|\p{Script=Katakana}/gu, 'jpn'],
  [/\p{Script=Hangul}/gu, 'kor'],
  [/\p{Script=Han}/gu, 'zho'],
  [/\p{Script=Greek}/gu, 'ell'],
  [/\p{Script=Hebrew}/gu, 'heb'],
  [/\p{Script=Thai}/gu, 'tha'],
  [/\p{Script=Georgian}/gu, 'kat'],
  [/\p{Script=Armenian}/gu, 'hye'],
  [/\p{Script=Devanagari}/gu, 'hin'],
  [/\p{Script=Bengali}/gu, 'ben'],
  [/\p{Script=Tamil}/gu, 'tam'],
];
const persian = /[پچژگک]/u;
const longestSample = 600;

interface Evidence {
  script: 'latin' | 'cyrillic' | 'other' | 'none';
  /** The most likely first; empty if nothing in the text tells. */
  languages: string[];
}

/**
 * The languages of the elements of one document. A short text often has no word that tells, so the language last seen
 * in the same script is taken for it.
 */
export function languageDetector(): (text: string) => string[] {
  const last = { latin: ['eng'], cyrillic: ['rus'] };
  return (text) => {
    const { script, languages } = evidence(text);
    if (script === 'none' || script === 'other') return languages;
    if (languages.length === 0) return last[script];
    last[script] = languages;
    return languages;
  };
}

function evidence(text: string): Evidence {
  const sample = text.length > longestSample ? text.slice(0, longestSample) : text;
  const cyrillic = count(sample, /\p{Script=Cyrillic}/gu);
  const latin = count(sample, /\p{Script=Latin}/gu);
  const other = isElsewhere.test(sample) ? otherScript(sample, cyrillic + latin) : undefined;
  if (other) return { script: 'other', languages: [other] };
  if (cyrillic + latin === 0) return { script: 'none', languages: [] };
  return cyrillic >= latin
    ? { script: 'cyrillic', languages: best(sample, cyrillicWords) }
    : { script: 'latin', languages: best(sample, latinWords) };
}

function otherScript(sample: string, letters: number): string | undefined {
  for (const [pattern, language] of scripts) {
    // Japanese and Korean text is full of Chinese characters, so a third is enough to tell.
    if (count(sample, pattern) * 3 > letters) return language;
  }
  if (count(sample, /\p{Script=Arabic}/gu) <= letters) return undefined;
  return persian.test(sample) ? 'fas' : 'ara';
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const isElsewhere = /(?![\p{Script=Latin}\p{Script=Cyrillic}])\p{L}/u;

export interface LanguageWords {
  words: ReadonlySet<string>;
  /** Letters that few other languages have. */
  letters: RegExp;
}

function best(sample: string, known: ReadonlyMap<string, LanguageWords>): string[] {
  const found = sample.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];
  let winner = '';
  // One word of a single letter is not enough: it may be a name of something.
  let most = 0.9;
  for (const [language, { words, letters }] of known) {
    const score =
      found.reduce((sum, word) => sum + (words.has(word) ? (word.length > 1 ? 1 : 0.4) : 0), 0) +
      0.7 * count(sample.toLowerCase(), letters);
    if (score > most + 0.01) [winner, most] = [language, score];
  }
  return winner === '' ? [] : [winner];
}
