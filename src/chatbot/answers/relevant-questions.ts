import type { Found } from '../../contracts/retrieval.ts';
import { termsOf } from '../citing/terms.ts';
import { phrasesIn } from './language.ts';

interface Related {
  question: string;
  examples: readonly string[];
  found: Pick<Found, 'passages' | 'language'>;
  /** Questions that the model proposed. */
  proposed?: readonly string[];
}

const most = 3;

/** Further questions that the documents answer: the model's, then the bot's examples, then headings nearby. */
export function relevantQuestions({ question, examples, found, proposed = [] }: Related): string[] {
  const asked = new Set(termsOf(question));
  const nearby = new Set(
    found.passages.flatMap(({ headings, text }) => termsOf(`${headings.join(' ')} ${text}`)),
  );
  const fitting = examples
    .filter((example) => isCyrillic(example) === isCyrillic(question))
    .map((example) => ({ example, shared: termsOf(example).filter((term) => nearby.has(term)).length }))
    .filter(({ shared }) => shared > 1)
    .sort((one, other) => other.shared - one.shared)
    .map(({ example }) => example);
  const chosen: string[] = [];
  const candidates = [...proposed, ...fitting, ...headingQuestions(found)];
  for (const candidate of candidates) {
    if (chosen.length === most) break;
    const terms = termsOf(candidate);
    const isNew = (known: ReadonlySet<string>) => terms.some((term) => !known.has(term));
    if (isNew(asked) && chosen.every((other) => isNew(new Set(termsOf(other))))) chosen.push(candidate);
  }
  return chosen;
}

/** Examples may be in several languages; one that quotes a foreign heading still asks in its own. */
const isCyrillic = (question: string) => /^\P{L}*\p{Script=Cyrillic}/u.test(question);

/** Passages that fit much worse than the best say nothing about the question; those in its language are easier to name. */
function nearest(passages: Found['passages'], language: string): Found['passages'] {
  const best = Math.max(0, ...passages.map(({ score }) => score));
  const near = passages.filter(({ score }) => score >= best / 2);
  const own = near.filter((passage) => passage.language === null || passage.language === language);
  return own.length > 0 ? own : near;
}

/** Questions about the sections that the passages stand in, the closest first. */
export function headingQuestions({ passages, language }: Pick<Found, 'passages' | 'language'>): string[] {
  const { about } = phrasesIn(language);
  const headings = nearest(passages, language).map(
    ({ headings, document }) => headings.at(-1)?.trim() || document.title.trim(),
  );
  return [...new Set(headings)]
    .filter((heading) => heading !== '' && heading.length <= 120)
    .slice(0, most)
    .map(about);
}
