import { setTimeout as pause } from 'node:timers/promises';
import { NotFound, Unavailable } from '../../../contracts/problems.ts';
import { ModelReplaced } from '../embedding/await-model.ts';
import type { EmbeddingsModel } from '../embedding/embeddings-model.ts';
import type { IngestionDependencies } from '../ingestion-dependencies.ts';
import { changeBot, findBot, livingVersions, lockBot } from '../versions/versions-store.ts';
import { fillCollection, isMadeBy } from './fill-collection.ts';
import { nextCollection } from './next-collection.ts';

export interface ReembedBotInput {
  bot: string;
  signal: AbortSignal;
  /** Progress in chunks. */
  onProgress(progress: { done: number; total: number }): void;
  /** Milliseconds that a search which has begun in a collection gets before the collection is dropped. */
  grace?: number;
}

const defaultGrace = 5_000;
const mostRounds = 20;

/**
 * Embeds all chunks of a bot with the model that is served now. They are collected beside the old ones, which answer
 * meanwhile; then the bot changes over, and the new points are copied to the collection that is named as the bot.
 * Each step finds out by itself what is left to do, so it can be repeated after a crash. Returns the model, or null
 * where none is served.
 */
export async function reembedBot(
  deps: IngestionDependencies,
  input: ReembedBotInput,
): Promise<EmbeddingsModel | null> {
  for (;;) {
    const model = await deps.models.current(input.signal);
    if (!model) return null;
    try {
      await moveToModel(deps, input, model);
      return model;
    } catch (error) {
      if (!(error instanceof ModelReplaced)) throw error;
    }
  }
}

async function moveToModel(
  deps: IngestionDependencies,
  input: ReembedBotInput,
  model: EmbeddingsModel,
): Promise<void> {
  const { database, vectors } = deps;
  const { bot, signal, onProgress } = input;
  const next = nextCollection(bot);
  const row = await findBot(database, bot);
  if (!row) throw new NotFound('bot', bot);
  if (row.collection !== next || row.embeddings_model !== model.name) {
    // After a crash in between, and with yet another model by now, the new collection answers and must stay.
    if (row.collection === next) await returnHome(deps, input);
    if (!(await isMadeBy(deps, next, model, signal))) await vectors.drop(next);
    await vectors.ensure(next, { dimensions: model.dimensions });
    const change = { collection: next, embeddings_model: model.name, dimensions: model.dimensions };
    await untilOver(deps, bot, change, () =>
      fillCollection(deps, { bot, collection: next, model, signal, onProgress }),
    );
  }
  await returnHome(deps, input);
}

/** Copies the new points to the collection with the bot's name, which then answers, and drops the other one. */
async function returnHome(
  deps: IngestionDependencies,
  { bot, signal, grace = defaultGrace }: ReembedBotInput,
): Promise<void> {
  await untilOver(deps, bot, { collection: bot }, () => deps.vectors.copy(nextCollection(bot), bot));
  await pause(grace, undefined, { signal }).catch(() => undefined);
  await deps.vectors.drop(nextCollection(bot));
}

interface ChangeOver {
  collection: string;
  embeddings_model?: string;
  dimensions?: number;
}

/** Documents come and go meanwhile, so it may take several rounds until the collection has all of them. */
async function untilOver(
  deps: IngestionDependencies,
  bot: string,
  change: ChangeOver,
  complete: () => Promise<void>,
): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    await complete();
    if (await changeOver(deps, bot, change)) return;
  }
  throw new Unavailable(`The collection '${change.collection}' could not be completed.`);
}

/**
 * Lets another collection answer, if it has every document. Those that are still being prepared notice it, and begin
 * anew in that collection.
 */
async function changeOver(
  { database, vectors }: IngestionDependencies,
  bot: string,
  change: ChangeOver,
): Promise<boolean> {
  const counts = await vectors.count(change.collection);
  const living = new Set((await livingVersions(database, bot)).map(({ id }) => id));
  const strays = [...counts.keys()].filter((group) => !living.has(group));
  if (strays.length > 0) await vectors.remove(change.collection, strays);
  return database.transaction(async (session) => {
    await lockBot(session, bot);
    const versions = (await livingVersions(session, bot)).filter(({ state }) => state !== 'processing');
    const isComplete = versions.every(({ id, chunks }) => counts.get(id) === chunks);
    if (isComplete) await changeBot(session, bot, change);
    return isComplete;
  });
}
