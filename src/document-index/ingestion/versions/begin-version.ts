import { NotFound } from '../../../contracts/problems.ts';
import type { Session } from '../../../platform/database/database.ts';
import type { EmbeddingsModel } from '../embedding/embeddings-model.ts';
import type { IngestionDependencies } from '../ingestion-dependencies.ts';
import {
  changeBot,
  changePrepared,
  findVersion,
  livingVersions,
  lockBot,
  type StoredVersion,
} from './versions-store.ts';

/** Milliseconds to wait for the bot's model if it was away before the document began. */
const awayAtStart = 600_000;

/** A version that is being processed, and where its points go. */
export interface Target {
  version: StoredVersion;
  collection: string;
  model: EmbeddingsModel | null;
  /** Milliseconds to wait for the model while it is away. */
  patience: number | undefined;
}

/**
 * Marks the version as being processed, and says where its points go; null if it is already built. With words only, the
 * bot forgets its model, so that it is embedded again as a whole when there is one.
 */
export async function beginVersion(
  { database, vectors }: IngestionDependencies,
  { document, model }: { document: StoredVersion; model: EmbeddingsModel | null },
  wordsOnly: boolean,
): Promise<Target | null> {
  const target = await database.transaction(async (session) => {
    const bot = await lockBot(session, document.bot);
    const started = await changePrepared(session, document.id, { state: 'processing' });
    const version = await findVersion(session, document.id);
    if (!started && version?.state === 'built') return null;
    if (!started || !version) throw gone(document);
    if (wordsOnly) await changeBot(session, bot.id, { embeddings_model: null, dimensions: null });
    const own = wordsOnly ? null : await botsModel(session, bot, version, model);
    const patience = model ? undefined : awayAtStart;
    return { version, collection: bot.collection, model: own, patience };
  });
  if (!target || target.version.embedded === 0) return target;
  // The bot may have moved to another collection since those chunks were put into the store.
  const { version, collection } = target;
  const there = (await vectors.count(collection)).get(version.id);
  return there === version.embedded ? target : { ...target, version: { ...version, embedded: 0 } };
}

/**
 * The model of the bot's vectors, since those of two models can't be compared. The first document of a bot decides. A
 * bot whose documents have no vectors gets none for single ones either: it is embedded again as a whole.
 */
async function botsModel(
  session: Session,
  { id, embeddings_model: name, dimensions }: Awaited<ReturnType<typeof lockBot>>,
  version: StoredVersion,
  offered: EmbeddingsModel | null,
): Promise<EmbeddingsModel | null> {
  if (name !== null && dimensions !== null) return { name, dimensions };
  if (!offered) return null;
  if ((await livingVersions(session, id)).some((other) => other.id !== version.id)) return null;
  await changeBot(session, id, { embeddings_model: offered.name, dimensions: offered.dimensions });
  return offered;
}

export const gone = ({ name }: Pick<StoredVersion, 'name'>) => new NotFound('document', name);
