import type { RunningDependencies } from '../index-dependencies.ts';
import type { EmbeddingsModel } from '../ingestion/embedding/embeddings-model.ts';
import { updateBot } from '../records/bots-store.ts';
import { listDocuments } from '../records/documents-store.ts';
import type { BotRow } from '../tables.ts';

type Choosing = Pick<RunningDependencies, 'database' | 'models' | 'vectors'>;

/**
 * The model that embeds new documents of a bot. A bot keeps the model of its other documents while that is served,
 * since vectors of two models can't be compared. Null: the documents are found by their words alone.
 */
export async function chooseModel(
  deps: Choosing,
  bot: BotRow,
  signal: AbortSignal,
): Promise<EmbeddingsModel | null> {
  const current = await deps.models.current(signal);
  if (!(await hasVectors(deps, bot))) return adopt(deps, bot, current);
  const { embeddings_model: name, dimensions } = bot;
  if (name === null || dimensions === null) return null;
  if (current?.name === name) return current;
  return (await deps.models.isServed(name)) ? { name, dimensions } : null;
}

/** Whether a document is or will be in the index with the bot's present model. */
async function hasVectors({ database }: Choosing, { id }: BotRow): Promise<boolean> {
  const states = ['active', 'built', 'processing'] as const;
  return (await listDocuments(database, id, { states })).some(({ embedded }) => embedded > 0);
}

async function adopt(
  { database, vectors }: Choosing,
  bot: BotRow,
  model: EmbeddingsModel | null,
): Promise<EmbeddingsModel | null> {
  if (model?.name === bot.embeddings_model && model?.dimensions === bot.dimensions) return model;
  await vectors.drop(bot.collection);
  await updateBot(database, bot.id, {
    embeddings_model: model?.name ?? null,
    dimensions: model?.dimensions ?? null,
  });
  return model;
}
