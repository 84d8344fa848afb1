import { Unavailable } from '../contracts/problems.ts';
import type { BotQuery, Found } from '../contracts/retrieval.ts';
import type { VectorStore } from '../platform/vectors/vector-store.ts';
import type { BotRow } from './tables.ts';

type Search = (bot: BotRow, query: BotQuery) => Promise<Found>;

/**
 * Refuses questions to bots whose vectors another process keeps in files of its own: without them nothing is found, and
 * the bot would say that its documents have no answer.
 */
export function refuseUnseen(search: Search, vectors: Pick<VectorStore, 'count'>): Search {
  const seen = new Set<string>();
  return async (bot, query) => {
    if (!seen.has(bot.collection)) {
      if ((await vectors.count(bot.collection)).size === 0) throw unseen(bot.id);
      if (seen.size >= 10_000) seen.clear();
      seen.add(bot.collection);
    }
    return search(bot, query);
  };
}

export const howToSeeVectors =
  "set vectors.url (ROUNDHOUSE_VECTORS_URL) to the same Qdrant server here and in the document index's process";

const unseen = (bot: string) =>
  new Unavailable(
    `bot '${bot}' can't answer here: this process does not see its vectors; ${howToSeeVectors}`,
    {
      retryAfter: 60,
    },
  );
