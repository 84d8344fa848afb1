import { BadRequest } from '../../contracts/problems.ts';
import type { Engine, Prompt, TextTokenizer } from '../engine.ts';
import { needs } from './served-model.ts';

/** The tokenizer of any of our engines. */
export interface PodTokenizer {
  encode(prompt: Prompt, special: boolean, signal: AbortSignal): Promise<number[]>;
  decode(sequences: readonly (readonly number[])[]): Promise<string[]>;
}

export function tokenizerOf(engine: Engine): PodTokenizer {
  const own = needs(engine, ['language', 'embedding', 'rerank'], 'tokenization');
  if (own.kind !== 'language') return ofText(own.tokenizer);
  return {
    encode: (prompt, special, signal) => own.tokenize(prompt, signal, { special }),
    decode: async (sequences) => sequences.map((tokens) => own.detokenize(tokens)),
  };
}

/** Models for embeddings and reranking have no chat template. */
function ofText(tokenizer: TextTokenizer | undefined): PodTokenizer {
  if (!tokenizer)
    throw new BadRequest('the engine of this model does not tokenize', { code: 'task_mismatch' });
  return {
    async encode(prompt, special) {
      if (prompt.kind === 'text') return tokenizer.encode(prompt.text, special);
      throw new BadRequest('this model has no chat template: send a prompt', { param: 'messages' });
    },
    decode: (sequences) => tokenizer.decode(sequences),
  };
}
