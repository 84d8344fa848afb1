import type { Passage } from '../../contracts/retrieval.ts';
import { type Quotable, quotables, textOf } from '../citing/sentences.ts';
import { termsOf } from '../citing/terms.ts';
import { expectedAnswer } from './expected-answer.ts';

export interface Ranked extends Quotable {
  /** How well it fits the question: around 1 where it contains all of its words. */
  fit: number;
  /** The words of the question that it contains. */
  hits: Set<string>;
}

/** Words that only the stand-alone question has were asked about before. */
const contextWeight = 0.25;

/**
 * Ranks the sentences of passages by the words of a question, the best first. `standAlone` is the question with what it
 * means in its conversation.
 */
export function rankSentences(question: string, standAlone: string, passages: readonly Passage[]): Ranked[] {
  const asked = new Set(termsOf(question));
  const wanted = new Set([...asked, ...termsOf(standAlone)]);
  const all = passages.flatMap(quotables);
  const rarity = weights(wanted, all);
  const weight = (term: string) => (asked.has(term) ? 1 : contextWeight) * rarity(term);
  const total = [...wanted].reduce((sum, term) => sum + weight(term), 0) || 1;
  const share = (terms: Iterable<string>) => {
    let sum = 0;
    for (const term of new Set(terms)) if (wanted.has(term)) sum += weight(term);
    return sum / total;
  };
  const isExpected = expectedAnswer(question);
  const best = Math.max(...passages.map(({ score }) => score), 1e-9);
  const byPassage = Map.groupBy(all, ({ passage }) => passage);
  const ranked = all.map((sentence): Ranked => {
    const { passage, position, terms } = sentence;
    const text = textOf(sentence);
    const neighbours = byPassage.get(passage) ?? [];
    const context = [...(neighbours[position - 1]?.terms ?? []), ...(neighbours[position + 1]?.terms ?? [])];
    const headings = termsOf([passage.document.title, ...passage.headings].join(' '));
    const own = share(terms);
    let fit =
      own + 0.25 * (share([...terms, ...headings]) - own) + 0.4 * (share([...terms, ...context]) - own);
    fit += 0.3 * (passage.score / best);
    if (isExpected?.(text)) fit += 0.12;
    if (terms.length < 3 || !/[\p{Ll}\p{N}]/u.test(text)) fit -= 0.2;
    if (/[?]\s*$/u.test(text)) fit -= 0.3;
    return { ...sentence, fit, hits: new Set(terms.filter((term) => wanted.has(term))) };
  });
  return ranked.sort((one, other) => other.fit - one.fit);
}

/** Words that few of the sentences contain say more. */
function weights(wanted: ReadonlySet<string>, all: readonly Quotable[]): (term: string) => number {
  const counts = new Map<string, number>();
  for (const { terms } of all) {
    for (const term of new Set(terms)) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return (term) => Math.log(1 + all.length / (0.5 + (counts.get(term) ?? 0)));
}
