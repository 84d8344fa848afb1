import type { Passage } from '../../contracts/retrieval.ts';
import type { Quotable } from './sentences.ts';
import { isNumeric, termsOf } from './terms.ts';

export interface Support {
  sentence: Quotable;
  /** The share of the claim's words that the sentence contains, weighted. */
  coverage: number;
}

/** What a claim must share with the sentence that it cites, and with one that it does not name. */
const cited = { coverage: 0.35, terms: 2, fewer: true };
const uncited = { coverage: 0.6, terms: 3, fewer: false };

/**
 * The sentence that supports a claim best; undefined where none does. Numbers must stand in the passage: a model that
 * changes one has not read it there. `named` says that the claim itself cites the passage of these sentences.
 */
export function findQuote(
  claim: string,
  sentences: readonly Quotable[],
  named: boolean,
): Support | undefined {
  const terms = new Set(termsOf(claim));
  if (terms.size === 0) return undefined;
  const needed = named ? cited : uncited;
  let best: Support | undefined;
  for (const [passage, own] of Map.groupBy(sentences, ({ passage }) => passage)) {
    if (!numbersStand(claim, passage)) continue;
    for (const sentence of own) {
      const support = supportOf(terms, sentence, needed);
      if (support && support.coverage > (best?.coverage ?? 0)) best = support;
    }
  }
  return best;
}

function supportOf(
  claim: ReadonlySet<string>,
  sentence: Quotable,
  needed: typeof cited,
): Support | undefined {
  const own = new Set(sentence.terms);
  let shared = 0;
  let sum = 0;
  let total = 0;
  for (const term of claim) {
    const weight = isNumeric(term) ? 2 : 1;
    total += weight;
    if (!own.has(term)) continue;
    sum += weight;
    shared++;
  }
  const coverage = sum / total;
  const enough =
    shared >= (needed.fewer ? Math.min(needed.terms, claim.size) : needed.terms) &&
    coverage >= needed.coverage;
  return enough ? { sentence, coverage } : undefined;
}

/** Whether every number of a claim stands in the passage, its headings or its title. */
export function numbersStand(claim: string, { text, headings, document }: Passage): boolean {
  const numbers = termsOf(claim).filter(isNumeric);
  if (numbers.length === 0) return true;
  const known = new Set(termsOf([text, ...headings, document.title].join(' ')));
  return numbers.every((number) => known.has(number));
}
