import { Unavailable } from '../../contracts/problems.ts';
import type { BotQuery, Found } from '../../contracts/retrieval.ts';
import type { Inference } from '../../platform/inference/inference.ts';
import type { BotRow } from '../tables.ts';
import { type GatherDependencies, gatherCandidates } from './gather-candidates.ts';
import { dropDuplicates } from './passages/drop-duplicates.ts';
import { joinNeighbours, type ScoredChunk } from './passages/join-neighbours.ts';
import { passageOf } from './passages/passage-of.ts';
import { hasChunks } from './passages/passages-store.ts';
import { type Calibration, calibration as shipped } from './ranking/calibration.ts';
import { type Gathered, rankChunks } from './ranking/rank-chunks.ts';
import { rerankChunks } from './ranking/rerank-chunks.ts';

export interface SearchDependencies extends GatherDependencies {
  inference: Pick<Inference, 'embed' | 'rerank'>;
  /** The rerank model that is deployed; null where there is none. */
  rerankModel(signal: AbortSignal): Promise<string | null>;
  /** Other weights than the shipped ones, for measuring. */
  calibration?: Calibration;
  /** Where the original of a stored document is served. */
  documentUri(bot: string, name: string): string;
}

/** Finds the passages of a bot's documents that fit a question best, and judges whether they can answer it. */
export async function searchBot(
  deps: SearchDependencies,
  { bot, query }: { bot: BotRow; query: BotQuery },
): Promise<Found> {
  const gathered = await gatherCandidates(deps, { bot, query });
  if (gathered.chunks.length === 0) await checkIndex(deps, bot);
  const { ranked, judgement } = rankChunks(gathered, deps.calibration ?? shipped);
  const retrieveLimit = Math.max(1, bot.retrive_n);
  // Some of the best may be copies of each other.
  const distinct = dropDuplicates(ranked.slice(0, 2 * retrieveLimit), ({ chunk }) => chunk.text);
  const retrieved = await reranked(deps, distinct.slice(0, retrieveLimit), gathered, query);
  const runs = joinNeighbours(retrieved, Math.max(1, query.limit ?? bot.support_n));
  return {
    passages: runs.map((run) => passageOf(bot.id, run, deps.documentUri)),
    ...judgement,
    language: gathered.language,
  };
}

/** A bot whose points are missing, as after a restoration without them, must not say that it knows no answer. */
async function checkIndex(
  { database, vectors }: SearchDependencies,
  { id, collection }: BotRow,
): Promise<void> {
  const points = await vectors.count(collection);
  if (points.size === 0 && (await hasChunks(database, id)))
    throw new Unavailable(`bot '${id}' can't answer yet: its documents are being indexed again`, {
      retryAfter: 10,
    });
}

async function reranked(
  deps: SearchDependencies,
  ranked: ScoredChunk[],
  { formulations }: Gathered,
  query: BotQuery,
): Promise<ScoredChunk[]> {
  const question = formulations[0]?.text;
  const model = question === undefined ? null : await deps.rerankModel(query.signal);
  if (question === undefined || model === null) return ranked;
  return rerankChunks(deps.inference, { model, question, ranked }, query);
}
