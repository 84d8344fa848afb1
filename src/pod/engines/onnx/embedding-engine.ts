import { BadRequest } from '../../../contracts/problems.ts';
import {
  type EmbeddingEngine,
  type EmbeddingOptions,
  type Embeddings,
  type EngineFacts,
  EngineStartFailed,
  type EngineStatus,
  type TextTokenizer,
} from '../../engine.ts';
import { Encoder, type OnnxOptions } from './encoder.ts';
import { normalize } from './pooling.ts';
import type { Recipe } from './recipe.ts';
import type { ModelDescription } from './running/model-thread.ts';

export async function startOnnxEmbeddings(options: OnnxOptions): Promise<EmbeddingEngine> {
  return new OnnxEmbeddingEngine(await Encoder.start(options, embeddingOutput));
}

/** The output with sentence vectors, or else the one with token vectors to be pooled. */
export function embeddingOutput(description: ModelDescription): string {
  const has = (name: string, rank: number) =>
    description.outputs.some((output) => output.name === name && output.rank === rank);
  if (has('sentence_embedding', 2)) return 'sentence_embedding';
  const tokens = ['last_hidden_state', 'token_embeddings'].find((name) => has(name, 3));
  const first = tokens ?? description.outputs.find(({ rank }) => rank === 3)?.name;
  if (first !== undefined) return first;
  throw new EngineStartFailed(
    'unsupported',
    has('logits', 2)
      ? 'The model is a cross-encoder, which scores pairs and produces no embeddings. Serve it with the task rerank.'
      : 'The model has no output that can be used for embeddings.',
  );
}

export class OnnxEmbeddingEngine implements EmbeddingEngine {
  readonly kind = 'embedding';
  readonly facts: EngineFacts;
  readonly #encoder: Encoder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
    this.facts = { ...encoder.facts, dimensions: encoder.size };
  }

  get tokenizer(): TextTokenizer {
    return this.#encoder;
  }

  tokenizerInfo(): Record<string, unknown> {
    return this.#encoder.tokenizerInfo;
  }

  async embed(
    inputs: (string | number[])[],
    options: EmbeddingOptions,
    signal: AbortSignal,
  ): Promise<Embeddings> {
    rejectEmpty(inputs);
    const { recipe, size } = this.#encoder;
    const dimensions = options.dimensions ?? size;
    checkDimensions(dimensions, size, recipe.shorter);
    const prefixed = inputs.map((input) => withPrefix(input, recipe.prefixes[options.purpose ?? 'default']));
    const sequences = await this.#encoder.tokenize(prefixed, {
      truncate: options.truncate ?? false,
      param: 'input',
    });
    const rows = await this.#encoder.run(sequences, signal);
    const vectors = rows.map((row) => {
      const vector = dimensions < size ? row.slice(0, dimensions) : row;
      return recipe.normalize ? normalize(vector) : vector;
    });
    return { vectors, promptTokens: sequences.reduce((sum, { ids }) => sum + ids.length, 0) };
  }

  status(): EngineStatus {
    return this.#encoder.status;
  }

  close(): Promise<void> {
    return this.#encoder.close();
  }
}

function rejectEmpty(inputs: (string | number[])[]): void {
  if (inputs.length === 0)
    throw new BadRequest('The input is empty. Send at least one text.', { param: 'input' });
  const index = inputs.findIndex((input) => input.length === 0);
  if (index === -1) return;
  throw new BadRequest(`Input ${index} is empty.`, { param: 'input' });
}

function checkDimensions(requested: number, size: number, shorter: Recipe['shorter']): void {
  if (requested === size) return;
  const options = { param: 'dimensions' };
  if (shorter === 'none') {
    throw new BadRequest(`This model's vectors have ${size} dimensions and can't be shortened.`, options);
  }
  if (!Number.isInteger(requested) || requested < 1 || requested > size) {
    throw new BadRequest(`dimensions must be an integer from 1 to ${size}.`, options);
  }
  if (shorter !== 'any' && !shorter.includes(requested)) {
    throw new BadRequest(
      `This model's vectors can only be shortened to ${shorter.join(', ')} dimensions.`,
      options,
    );
  }
}

/** Callers who follow the model card may have added the prefix already. */
function withPrefix(input: string | number[], prefix: string): string | number[] {
  return typeof input !== 'string' || input.startsWith(prefix) ? input : prefix + input;
}
