import { schemaProblem } from './schema-problem.ts';

/**
 * What one request's grammar may consist of. A grammar is compiled and followed by llama.cpp, which can't be
 * interrupted, for every token, in a batch that other requests share: it has to be small before it gets there.
 * OpenAI documents limits of the same kind for its structured outputs.
 */
export const grammarLimits = {
  /** Schemas read, each as often as it is referred to. */
  schemas: 10_000,
  properties: 5_000,
  'enum values': 5_000,
  alternatives: 500,
  /** Members of one object that may be left out. */
  'optional properties in one object': 500,
  /** Counted repetitions written out: `maxLength`, `maxItems`, `{2,5}` in a pattern. */
  repetitions: 20_000,
  'characters in names, constants and enum values': 250_000,
  'levels of nesting': 64,
};

export type GrammarPart = keyof typeof grammarLimits;

export class GrammarBudget {
  readonly #spent = new Map<GrammarPart, number>();

  spend(part: GrammarPart, count: number, where: string): void {
    const spent = (this.#spent.get(part) ?? 0) + count;
    this.#spent.set(part, spent);
    this.allow(part, spent, where);
  }

  /** Checks a count that is not a sum over the whole grammar. */
  allow(part: GrammarPart, count: number, where: string): void {
    const limit = grammarLimits[part];
    if (count > limit) throw schemaProblem(where, `is too large: it has more than ${limit} ${part}`);
  }
}
