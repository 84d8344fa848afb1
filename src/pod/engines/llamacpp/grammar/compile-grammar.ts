import { type Llama, type LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import { BadRequest } from '../../../../contracts/problems.ts';

const kept = 64;

/** Compiles grammars, and keeps the last ones: the same schema comes with request after request. */
export class GrammarCompiler {
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  readonly #compiled = new Map<string, LlamaGrammar>();

  constructor(llama: Llama, model: LlamaModel) {
    this.#llama = llama;
    this.#model = model;
  }

  /** A fresh state at the beginning of the grammar. */
  async begin(gbnf: string): Promise<LlamaGrammarEvaluationState> {
    try {
      const grammar = this.#compiled.get(gbnf) ?? (await this.#llama.createGrammar({ grammar: gbnf }));
      this.#compiled.delete(gbnf);
      this.#compiled.set(gbnf, grammar);
      if (this.#compiled.size > kept) this.#compiled.delete(this.#compiled.keys().next().value as string);
      return new LlamaGrammarEvaluationState({ model: this.#model, grammar });
    } catch (error) {
      throw new BadRequest(
        'The grammar or schema for the answer is not valid, or is too complex to be enforced.',
        {
          code: 'invalid_grammar',
          param: 'response_format',
          cause: error,
        },
      );
    }
  }
}
