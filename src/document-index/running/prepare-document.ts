import { OutOfSpace, Problem, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import { Unreadable } from '../../documents/unreadable.ts';
import { isDatabaseAway } from '../../platform/database/database-problems.ts';
import { scrub } from '../../platform/telemetry/redaction.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import type { EmbeddingsModel } from '../ingestion/embedding/embeddings-model.ts';
import { insertDocuments, updateDocuments } from '../records/documents-store.ts';
import type { SourceItem } from '../sources/source.ts';
import type { BotRow, StoredDocument } from '../tables.ts';
import { unchanged } from './plan-swap.ts';

export interface Preparation {
  bot: BotRow;
  command: string;
  model: EmbeddingsModel | null;
  items: ReadonlyMap<number, SourceItem>;
  /** The version that answers now, and that this one would replace. */
  present(version: StoredDocument): StoredDocument | undefined;
  /** The name under which each content is in the index, or will be. */
  contents: Map<string, string>;
  /** Whether a document may be skipped because another has the same content. */
  whole: boolean;
  signal: AbortSignal;
}

/**
 * Brings a version to `built`, or to the state that says why it was skipped or failed. Throws only what concerns the
 * whole command: cancellation, a database that is away, a full disk, models that don't answer.
 */
export async function prepareDocument(
  deps: RunningDependencies,
  preparation: Preparation,
  version: StoredDocument,
  onProgress: (progress: { done: number; total: number | null }) => void,
): Promise<void> {
  const { bot, model, signal } = preparation;
  let fetched: StoredDocument;
  try {
    const early = isSameVersion(preparation, version) ? unchanged : null;
    fetched = early === null ? await fetchFile(deps, preparation, version) : version;
    const reason = early ?? whySkipped(preparation, fetched);
    if (reason !== null) {
      return await updateDocuments(deps.database, [version.id], { state: 'retired', error: reason });
    }
  } catch (error) {
    return failDocument(deps, preparation, version, error);
  }
  try {
    await deps.ingestion.ingest({ document: fetched, collection: bot.collection, model, signal, onProgress });
  } catch (error) {
    // Every other document would fail, too.
    if (error instanceof Unavailable) throw error;
    await failDocument(deps, preparation, fetched, error);
  }
}

/** The source says that nothing has changed since the active version was fetched. */
function isSameVersion(preparation: Preparation, version: StoredDocument): boolean {
  const item = preparation.items.get(version.id);
  const present = preparation.present(version);
  return (
    item?.version != null &&
    present?.source_version === item.version &&
    present.source_id === version.source_id &&
    present.name === version.name
  );
}

function whySkipped(preparation: Preparation, version: StoredDocument): string | null {
  const { contents, whole } = preparation;
  const { name, sha256, source_id } = version;
  if (sha256 === null) return null;
  const present = preparation.present(version);
  if (present?.sha256 === sha256 && present.name === name) return unchanged;
  // What comes from a source has an address of its own, and stays when the other one goes.
  if (source_id !== null) return null;
  const other = contents.get(sha256);
  // An update is not skipped: its old version would go on answering.
  if (other !== undefined && other !== name && (whole || !present)) return `has the same content as ${other}`;
  contents.set(sha256, name);
  return null;
}

/** The key is the same after a crash, so that nothing is left behind. */
async function fetchFile(
  { sources, blobs, database, largestFile }: RunningDependencies,
  { bot, items, signal }: Preparation,
  version: StoredDocument,
): Promise<StoredDocument> {
  if (version.blob !== null) return version;
  const item = items.get(version.id);
  if (!item) throw new UpstreamFailed('the source no longer has this document');
  const file = await sources.fetch(item, { signal, limit: largestFile });
  const blob = `index/${bot.id}/${version.id}`;
  const { size: bytes, sha256 } = await blobs.put(blob, file.body, { signal });
  const error = file.warning === undefined ? null : scrub(file.warning);
  const changes = { blob, bytes, sha256, type: file.type, source_version: item.version, error };
  await updateDocuments(database, [version.id], changes);
  return { ...version, ...changes };
}

/** The version goes, and a record of the failure stays. */
async function failDocument(
  { database, logger, clock }: RunningDependencies,
  { command, signal }: Preparation,
  version: StoredDocument,
  error: unknown,
): Promise<void> {
  signal.throwIfAborted();
  // A full disk says nothing about the document: the command waits for room.
  if (isDatabaseAway(error) || error instanceof OutOfSpace) throw error;
  const isExpected = error instanceof Problem || error instanceof Unreadable;
  if (!isExpected) logger.error({ err: error, command, document: version.id }, 'a document failed');
  const message = isExpected ? scrub(error.message) : `internal error; see the server log for ${command}`;
  const { id, ...record } = version;
  await database.transaction(async (session) => {
    await updateDocuments(session, [id], { state: 'retired', command: null });
    await insertDocuments(session, [
      {
        ...record,
        state: 'error',
        error: message,
        command,
        blob: null,
        chunks: null,
        embedded: 0,
        created_at: clock.now(),
      },
    ]);
  });
}
