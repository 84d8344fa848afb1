import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../contracts/problems.ts';
import type { WorkContext, WorkKind } from '../../platform/queue/work-kind.ts';
import { botKey, priorities, type ReembedPayload, reembedKind } from '../command-work.ts';
import { activeCommands } from '../commands/accept-command.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import type { EmbeddingsModel } from '../ingestion/embedding/embeddings-model.ts';
import { findBot, listBots } from '../records/bots-store.ts';
import { countChunks, listDocuments } from '../records/documents-store.ts';
import type { BotRow } from '../tables.ts';
import { introduceBot } from './introduce-bot.ts';

/** All bots take turns, also those of other processes. */
const turn = 'reembed';
/** Milliseconds between looks for commands of the bot, which other processes may have accepted. */
const lookEvery = 2_000;
/** Seconds to wait for an embeddings model before the work is put off. */
const longestWait = 60;

/** Embeds a bot again, in the background. It makes way for commands of the bot, and is requested again after them. */
export function reembedWork(deps: RunningDependencies): WorkKind<ReembedPayload> {
  return {
    concurrency: 1,
    afterCrash: 'resume',
    attempts: 20,
    retryAfter: (attempt) => Math.min(600_000, 1_000 * 2 ** attempt),
    run: (context) => runReembedding(deps, context),
  };
}

async function runReembedding(
  deps: RunningDependencies,
  context: WorkContext<ReembedPayload>,
): Promise<unknown> {
  const { bot } = context.payload;
  if (!(await needsEmbedding(deps, bot, context.signal))) return { done: true };
  const yielding = new AbortController();
  const look = async () => {
    if ((await activeCommands(deps, bot)).length > 0) yielding.abort();
  };
  const unsubscribe = deps.queue.subscribe((item) => {
    if (item.subject === bot && item.state === 'CREATED' && item.id !== context.id) yielding.abort();
  });
  const timer = setInterval(() => void look().catch(() => undefined), lookEvery);
  try {
    await look();
    const signal = AbortSignal.any([context.signal, yielding.signal]);
    signal.throwIfAborted();
    await untilServed(deps, signal);
    await deps.ingestion.reembed({
      bot,
      signal,
      onProgress: ({ done, total }) => context.report({ done, total, unit: 'chunks' }),
    });
  } catch (error) {
    if (context.signal.aborted || !yielding.signal.aborted) throw error;
    await context.finish(async (session) => {
      await deps.queue.enqueue(reembedding(bot, context.payload.model), session);
      return { done: false };
    });
    return null;
  } finally {
    clearInterval(timer);
    unsubscribe();
  }
  await introduceBot(deps, bot, context.signal);
  return { done: true };
}

/** At a start, the pods of the model are not ready yet. */
async function untilServed({ models }: RunningDependencies, signal: AbortSignal): Promise<void> {
  for (let look = 0; look < longestWait; look++) {
    if (await models.current(signal)) return;
    await sleep(1_000, undefined, { signal });
  }
  throw new Unavailable('no embeddings model is served');
}

const reembedding = (bot: string, model: string | null) => ({
  kind: reembedKind,
  name: `REEMBED_BOT_${bot}`,
  subject: bot,
  payload: { bot, model } satisfies ReembedPayload,
  priority: priorities.background,
  exclusiveKeys: [botKey(bot), turn],
});

/** Requests that a bot be embedded again if its vectors are of another model than the deployed one, or missing. */
export async function requestReembedding(
  deps: RunningDependencies,
  bot: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await needsEmbedding(deps, bot, signal))) return;
  const model = await deps.models.current(signal);
  const waiting = await deps.queue.list({
    kinds: [reembedKind],
    states: ['CREATED', 'RUNNING'],
    subject: bot,
  });
  if (waiting.length === 0) await deps.queue.enqueue(reembedding(bot, model?.name ?? null));
}

export async function requestReembeddings(deps: RunningDependencies, signal: AbortSignal): Promise<void> {
  for (const { id, state } of await listBots(deps.database)) {
    signal.throwIfAborted();
    if (state === 'ready') await requestReembedding(deps, id, signal);
  }
}

async function needsEmbedding(deps: RunningDependencies, id: string, signal: AbortSignal): Promise<boolean> {
  const bot = await findBot(deps.database, id);
  if (bot?.state !== 'ready') return false;
  const active = await listDocuments(deps.database, id, { states: ['active'] });
  if (active.length === 0) return false;
  const current = await deps.models.current(signal);
  return (
    isOfAnotherModel(bot, current) ||
    (await lacksPoints(
      deps,
      bot,
      active.map((version) => version.id),
    ))
  );
}

/** Without a deployed model nothing can be embedded, and the old vectors stay. */
const isOfAnotherModel = (bot: BotRow, current: EmbeddingsModel | null) =>
  current !== null && bot.embeddings_model !== current.name;

async function lacksPoints(
  { database, vectors }: RunningDependencies,
  { id, collection }: BotRow,
  versions: readonly number[],
): Promise<boolean> {
  const chunks = await countChunks(database, id);
  const points = await vectors.count(collection);
  return versions.some((version) => (chunks.get(version) ?? 0) !== (points.get(version) ?? 0));
}
