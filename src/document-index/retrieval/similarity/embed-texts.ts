import { Problem } from '../../../contracts/problems.ts';
import type { Inference } from '../../../platform/inference/inference.ts';
import type { CallOptions } from '../../../platform/inference/sending/call-options.ts';
import { unitVector } from '../../ingestion/embedding/unit-vector.ts';

export interface QuestionEmbedding {
  inference: Pick<Inference, 'embed'>;
  /** How texts are sent to a model: the prefix that it expects, or the purpose by which its pod knows it. */
  embeddingForm(
    model: string,
    purpose: 'query' | 'document',
  ): { prefix: string; purpose?: 'query' | 'document' | undefined };
}

const usualWait = 10_000;

/**
 * Vectors of length 1, one per text. Null if the model can't be called now, or its vectors can't be used: the search is
 * then only lexical.
 */
export async function embedTexts(
  { inference, embeddingForm }: QuestionEmbedding,
  texts: readonly string[],
  to: {
    model: string;
    dimensions: number | null;
    purpose: 'query' | 'document';
    longestWait?: number;
    batchTexts?: number;
  },
  call: Pick<CallOptions, 'credentials' | 'signal' | 'requestId'>,
): Promise<Float32Array[] | null> {
  const { prefix, purpose } = embeddingForm(to.model, to.purpose);
  const timeout = AbortSignal.timeout(to.longestWait ?? usualWait);
  const options = {
    ...call,
    model: to.model,
    signal: AbortSignal.any([call.signal, timeout]),
    // A model that is away would delay every answer.
    retries: 1,
    patience: 0,
    truncate: true,
    batchTexts: to.batchTexts,
    ...(purpose && { purpose }),
  };
  const vectors: Float32Array[] = [];
  try {
    const prefixed = texts.map((text) => `${prefix}${text}`);
    for await (const batch of inference.embed(prefixed, options)) vectors.push(...batch.vectors);
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof Problem || timeout.aborted) return null;
    throw error;
  }
  const units = vectors.map(unitVector).filter((vector) => vector !== null);
  const fits = units.every(({ length }) => length === (to.dimensions ?? units[0]?.length));
  return units.length === texts.length && fits ? units : null;
}
