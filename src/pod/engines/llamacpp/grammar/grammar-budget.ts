import { schemaProblem } from './schema-problem.ts';

/**
 * Limits on the grammar of one request. llama.cpp compiles and evaluates it without interruption, for every token, in
 * a batch that other requests share, so it must be small. OpenAI documents similar limits for structured outputs.
 */
export const grammarLimits = {
  /** Schemas, counted once per reference. */
  schemas: 10_000,
  properties: 5_000,
  'enum values': 5_000,
  alternatives: 500,
  /** Optional properties of one object. */
  'optional properties in one object': 500,
  /** Expanded repetitions: `maxLength`, `maxItems`, `{2,5}` in a pattern. */
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

  /** Checks a count that is not accumulated over the whole grammar. */
  allow(part: GrammarPart, count: number, where: string): void {
    const limit = grammarLimits[part];
    if (count > limit) throw schemaProblem(where, `is too large: it has more than ${limit} ${part}`);
  }
}
