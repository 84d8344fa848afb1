import { BadRequest } from '../../../contracts/problems.ts';
import {
  type EmbeddingEngine,
  type EngineFacts,
  EngineStartFailed,
  type EngineStatus,
  type RerankEngine,
} from '../../engine.ts';
import { scoreByCosine } from '../../score-by-cosine.ts';
import { embeddingOutput, OnnxEmbeddingEngine } from './embedding-engine.ts';
import { Encoder, type OnnxOptions } from './encoder.ts';

interface Scores {
  scores: number[];
  promptTokens: number;
}

/** A cross-encoder where the model is one; else its embeddings, compared. */
export async function startOnnxRerank(options: OnnxOptions): Promise<RerankEngine> {
  let isCrossEncoder = false;
  const encoder = await Encoder.start(options, (description) => {
    isCrossEncoder = description.outputs.some(({ name, rank }) => name === 'logits' && rank === 2);
    return isCrossEncoder ? 'logits' : embeddingOutput(description);
  });
  if (!isCrossEncoder) return new CosineRerankEngine(new OnnxEmbeddingEngine(encoder));
  if (encoder.size <= 2) return new CrossEncoderEngine(encoder);
  await encoder.close();
  throw new EngineStartFailed(
    'unsupported',
    `The model sorts texts into ${encoder.size} classes; a reranker has one or two.`,
  );
}

class CrossEncoderEngine implements RerankEngine {
  readonly kind = 'rerank';
  readonly facts: EngineFacts;
  readonly #encoder: Encoder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
    this.facts = encoder.facts;
  }

  async score(query: string, documents: string[], signal: AbortSignal): Promise<Scores> {
    if (query === '') throw new BadRequest('The query is empty.', { param: 'query' });
    // The document gives way where both are too long together, but not to a query that leaves it no room.
    const half = Math.floor(this.#encoder.recipe.maxTokens / 2);
    const [alone] = await this.#encoder.tokenize([query], { truncate: false, param: 'query' });
    if (alone !== undefined && alone.ids.length > half) {
      throw new BadRequest(
        `The query has ${alone.ids.length} tokens; with this model it may have ${half}, half of the context.`,
        { code: 'context_length_exceeded', param: 'query' },
      );
    }
    const pairs = documents.map((document) => ({ first: query, second: document }));
    const sequences = await this.#encoder.tokenize(pairs, { truncate: true, param: 'documents' });
    const rows = await this.#encoder.run(sequences, signal);
    return {
      scores: rows.map(relevance),
      promptTokens: sequences.reduce((sum, { ids }) => sum + ids.length, 0),
    };
  }

  status(): EngineStatus {
    return this.#encoder.status;
  }

  close(): Promise<void> {
    return this.#encoder.close();
  }
}

/** Of one logit its sigmoid; of two the share of the second, which stands for "relevant". */
function relevance(logits: Float32Array): number {
  const [first = 0, second] = logits;
  return 1 / (1 + Math.exp(second === undefined ? -first : first - second));
}

/** Compares the embeddings of query and documents. */
class CosineRerankEngine implements RerankEngine {
  readonly kind = 'rerank';
  readonly #embedding: EmbeddingEngine;

  constructor(embedding: EmbeddingEngine) {
    this.#embedding = embedding;
  }

  get facts(): EngineFacts {
    return this.#embedding.facts;
  }

  score(query: string, documents: string[], signal: AbortSignal): Promise<Scores> {
    return scoreByCosine(this.#embedding, query, documents, signal);
  }

  status(): EngineStatus {
    return this.#embedding.status();
  }

  close(): Promise<void> {
    return this.#embedding.close();
  }
}
