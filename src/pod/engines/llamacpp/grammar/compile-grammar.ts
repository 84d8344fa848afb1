import { type Llama, type LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import { BadRequest } from '../../../../contracts/problems.ts';

const cacheSize = 64;

/** Compiles grammars and caches recent ones, because clients send the same schema with many requests. */
export class GrammarCompiler {
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  readonly #compiled = new Map<string, LlamaGrammar>();

  constructor(llama: Llama, model: LlamaModel) {
    this.#llama = llama;
    this.#model = model;
  }

  /** Returns a new state at the start of the grammar. */
  async begin(gbnf: string): Promise<LlamaGrammarEvaluationState> {
    try {
      const grammar = this.#compiled.get(gbnf) ?? (await this.#llama.createGrammar({ grammar: gbnf }));
      this.#compiled.delete(gbnf);
      this.#compiled.set(gbnf, grammar);
      if (this.#compiled.size > cacheSize)
        this.#compiled.delete(this.#compiled.keys().next().value as string);
      return new LlamaGrammarEvaluationState({ model: this.#model, grammar });
    } catch (error) {
      throw new BadRequest('The grammar or schema is invalid, or too complex to be enforced.', {
        code: 'invalid_grammar',
        param: 'response_format',
        cause: error,
      });
    }
  }
}
