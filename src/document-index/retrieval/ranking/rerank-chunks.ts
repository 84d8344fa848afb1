import { Problem } from '../../../contracts/problems.ts';
import type { Inference } from '../../../platform/inference/inference.ts';
import type { CallOptions } from '../../../platform/inference/sending/call-options.ts';
import type { ScoredChunk } from '../passages/join-neighbours.ts';

const longestWait = 4_000;
/** A small cross-encoder needs about 30 ms per chunk on a CPU. The best is rarely further down. */
const mostChunks = 20;
/** Characters of a chunk that a cross-encoder gets; most read 512 tokens. */
const longestText = 2_000;
/** The share of the reranker in the new score. */
const share = 0.5;

/**
 * Orders chunks again by a rerank model. They keep their order if it is too slow or fails: an answer from the second
 * best order is better than none.
 */
export async function rerankChunks(
  inference: Pick<Inference, 'rerank'>,
  input: { model: string; question: string; ranked: readonly ScoredChunk[] },
  call: Pick<CallOptions, 'credentials' | 'signal' | 'requestId'>,
): Promise<ScoredChunk[]> {
  const { model, question, ranked } = input;
  if (ranked.length < 2) return [...ranked];
  const first = ranked.slice(0, mostChunks);
  const documents = first.map(({ chunk }) => `${chunk.context}\n${chunk.text}`.trim().slice(0, longestText));
  const timeout = AbortSignal.timeout(longestWait);
  try {
    const { results } = await inference.rerank(
      { model, query: question, documents },
      { ...call, signal: AbortSignal.any([call.signal, timeout]), retries: 0, patience: 0 },
    );
    const usable = results.filter(({ index, score }) => index in first && Number.isFinite(score));
    if (usable.length === 0) return [...ranked];
    const blended = blend(first, new Map(usable.map(({ index, score }) => [index, score])));
    const lowest = blended.at(-1)?.score ?? 0;
    const rest = ranked.slice(mostChunks).map(({ chunk, score }) => ({ chunk, score: lowest * score }));
    return [...blended, ...rest];
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof Problem || timeout.aborted) return [...ranked];
    throw error;
  }
}

/** Both scores, each on the scale of 0 to 1 over the chunks. */
function blend(ranked: readonly ScoredChunk[], scores: ReadonlyMap<number, number>): ScoredChunk[] {
  const own = scaled(ranked.map(({ score }) => score));
  const other = scaled(ranked.map((_, at) => scores.get(at) ?? Math.min(...scores.values())));
  return ranked
    .map(({ chunk }, at) => ({ chunk, score: (1 - share) * (own[at] ?? 0) + share * (other[at] ?? 0) }))
    .sort((a, b) => b.score - a.score);
}

function scaled(scores: readonly number[]): number[] {
  const lowest = Math.min(...scores);
  const width = Math.max(...scores) - lowest;
  return scores.map((score) => (width > 0 ? (score - lowest) / width : 0));
}
