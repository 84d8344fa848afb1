import { createHash } from 'node:crypto';
import type { IndexDependencies } from '../index-dependencies.ts';
import { type BotWithDocuments, readBot, readBots } from './read-bots.ts';

/** The service collection of the specification: one point per bot, with its record. No bot can have this name. */
export const infoCollection = 'botsinfo';

type InfoDependencies = Pick<IndexDependencies, 'database' | 'queue' | 'vectors' | 'logger'>;

/** Writes the bot's record to the service collection. A failure is repaired at the next change or start. */
export async function putBotInfo(deps: InfoDependencies, bot: string): Promise<void> {
  try {
    await deps.vectors.ensure(infoCollection, { dimensions: null });
    await deps.vectors.upsert(infoCollection, [pointOf(await readBot(deps, bot))]);
  } catch (error) {
    deps.logger.warn({ err: error, bot }, `the bot could not be written to ${infoCollection}`);
  }
}

export async function removeBotInfo(
  { vectors }: Pick<IndexDependencies, 'vectors'>,
  bot: string,
): Promise<void> {
  await vectors.remove(infoCollection, [pointId(bot)]);
}

/** Brings the whole service collection in step with the bots. Without any, the store is not opened. */
export async function syncBotsInfo(deps: InfoDependencies): Promise<void> {
  const points = (await readBots(deps)).map(pointOf);
  if (points.length === 0) return;
  await deps.vectors.ensure(infoCollection, { dimensions: null });
  const known = new Set(points.map(({ group }) => group));
  const strays = [...(await deps.vectors.count(infoCollection)).keys()].filter((group) => !known.has(group));
  if (strays.length > 0) await deps.vectors.remove(infoCollection, strays);
  await deps.vectors.upsert(infoCollection, points);
}

function pointOf({ row, record }: BotWithDocuments) {
  const id = pointId(row.id);
  const terms = { terms: new Uint32Array(), counts: new Uint16Array() };
  return { id, group: id, vector: null, terms, payload: { ...record } };
}

/** Points have numbers; 48 bits of a hash tell more bots apart than any platform has. */
const pointId = (bot: string) => createHash('sha256').update(bot).digest().readUIntBE(0, 6);
