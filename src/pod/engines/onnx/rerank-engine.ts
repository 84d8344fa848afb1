import { BadRequest } from '../../../contracts/problems.ts';
import {
  type EngineFacts,
  EngineStartFailed,
  type EngineStatus,
  type RerankEngine,
  type TextTokenizer,
} from '../../engine.ts';
import { scoreByCosine } from '../../serving/score-by-cosine.ts';
import { embeddingOutput, OnnxEmbeddingEngine } from './embedding-engine.ts';
import { Encoder, type OnnxOptions } from './encoder.ts';

interface Scores {
  scores: number[];
  promptTokens: number;
}

/** Starts a cross-encoder if the model is one; otherwise a reranker that compares embeddings. */
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
    `The model is a classifier with ${encoder.size} classes; a reranker has one or two.`,
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

  get tokenizer(): TextTokenizer {
    return this.#encoder;
  }

  tokenizerInfo(): Record<string, unknown> {
    return this.#encoder.tokenizerInfo;
  }

  async score(query: string, documents: string[], signal: AbortSignal): Promise<Scores> {
    if (query === '') throw new BadRequest('The query is empty.', { param: 'query' });
    // If a pair is too long, the document is truncated. A query of more than half the context would leave it too
    // little room.
    const half = Math.floor(this.#encoder.recipe.maxTokens / 2);
    const [alone] = await this.#encoder.tokenize([query], { truncate: false, param: 'query' });
    if (alone !== undefined && alone.ids.length > half) {
      throw new BadRequest(
        `The query has ${alone.ids.length} tokens; the maximum for this model is ${half}, half of its context.`,
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

/** The sigmoid of a single logit, or the softmax of the second of two, which means "relevant". */
function relevance(logits: Float32Array): number {
  const [first = 0, second] = logits;
  return 1 / (1 + Math.exp(second === undefined ? -first : first - second));
}

/** Reranks by comparing the embeddings of query and documents. */
class CosineRerankEngine implements RerankEngine {
  readonly kind = 'rerank';
  readonly #embedding: OnnxEmbeddingEngine;

  constructor(embedding: OnnxEmbeddingEngine) {
    this.#embedding = embedding;
  }

  get facts(): EngineFacts {
    return this.#embedding.facts;
  }

  get tokenizer(): TextTokenizer {
    return this.#embedding.tokenizer;
  }

  tokenizerInfo(): Record<string, unknown> {
    return this.#embedding.tokenizerInfo();
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
