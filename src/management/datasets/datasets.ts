import { randomUUID } from 'node:crypto';
import type { Clock } from '../../contracts/clock.ts';
import type { Conversation, Dataset } from '../../contracts/management/datasets.ts';
import { Conflict, InvalidInput, NotFound } from '../../contracts/problems.ts';
import type { BlobStore, OpenBlob } from '../../platform/blobs/blob-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { DatasetRow } from '../tables.ts';
import { CheckedDataset, type DatasetLimits } from './check-dataset.ts';
import { readConversation } from './conversation-line.ts';
import { findDataset, insertDataset, listDatasetRows, removeDataset } from './datasets-store.ts';
import { splitLines } from './split-lines.ts';

export interface DatasetDependencies {
  database: Database;
  clock: Clock;
  blobs: BlobStore;
  queue: Pick<WorkQueue, 'active'>;
  /** The bucket that `s3_path` names. */
  bucket: string;
  datasetLimits: DatasetLimits;
}

interface Upload {
  name: string;
  description: string | undefined;
  content: AsyncIterable<Uint8Array>;
}

/** The key that work on a data set holds, so that it isn't deleted under it. */
export const datasetKey = (id: string) => `dataset:${id}`;

/** Stores the file as it came, once every line of it was found good. */
export async function uploadDataset(deps: DatasetDependencies, upload: Upload): Promise<Dataset> {
  const name = fileName(upload.name);
  const id = randomUUID();
  const checked = new CheckedDataset(upload.content, deps.datasetLimits);
  const { size, sha256 } = await deps.blobs.put(blobKey(id, name), checked.pieces());
  const row: DatasetRow = {
    id,
    name,
    description: upload.description ?? null,
    examples: checked.examples,
    bytes: size,
    sha256,
    created_at: deps.clock.now(),
  };
  await insertDataset(deps.database, row);
  return describe(deps, row);
}

export async function listDatasets(deps: DatasetDependencies): Promise<Dataset[]> {
  return (await listDatasetRows(deps.database)).map((row) => describe(deps, row));
}

export async function openDataset(
  deps: DatasetDependencies,
  id: string,
): Promise<{ dataset: Dataset; blob: OpenBlob }> {
  const row = await datasetRow(deps, id);
  return { dataset: describe(deps, row), blob: await deps.blobs.get(blobKey(id, row.name)) };
}

/** The first conversations of a data set, as messages whatever format they came in. */
export async function firstConversations(
  deps: DatasetDependencies,
  id: string,
  count: number,
): Promise<Conversation[]> {
  const conversations: Conversation[] = [];
  for await (const conversation of readConversations(deps, id)) {
    conversations.push(conversation);
    if (conversations.length >= count) break;
  }
  return conversations;
}

export async function* readConversations(
  deps: DatasetDependencies,
  id: string,
): AsyncGenerator<Conversation> {
  const { blob } = await openDataset(deps, id);
  for await (const { text } of splitLines(blob.body, Number.POSITIVE_INFINITY)) {
    const read = readConversation(text ?? '');
    if ('conversation' in read) yield read.conversation;
  }
}

/** The row first: a kill in between leaves a file that nobody finds, never a data set without its file. */
export async function deleteDataset(deps: DatasetDependencies, id: string): Promise<Dataset> {
  const row = await datasetRow(deps, id);
  const users = await deps.queue.active([datasetKey(id)]);
  if (users[0]) throw new Conflict(`data set '${id}' is in use by ${users[0].name}`);
  await removeDataset(deps.database, id);
  await deps.blobs.delete(blobKey(id, row.name));
  return describe(deps, row);
}

export async function datasetRow({ database }: DatasetDependencies, id: string): Promise<DatasetRow> {
  const row = await findDataset(database, id);
  if (!row) throw new NotFound('data set', id);
  return row;
}

/** The last part of whatever path the client sent; kept short enough for any file system, Cyrillic included. */
function fileName(sent: string): string {
  const name = sent.normalize('NFC').split(/[/\\]/).at(-1)?.trim() ?? '';
  if (name === '' || /^\.+$/.test(name) || /\p{Cc}/u.test(name) || Buffer.byteLength(name) > 200) {
    throw new InvalidInput([
      { loc: ['body', 'file'], msg: 'the file needs a name of at most 200 bytes', type: 'value_error' },
    ]);
  }
  return name;
}

const blobKey = (id: string, name: string) => `datasets/${id}/${name}`;

function describe({ bucket }: DatasetDependencies, row: DatasetRow): Dataset {
  return {
    id: row.id,
    name: row.name,
    s3_path: `s3://${bucket}/${blobKey(row.id, row.name)}`,
    description: row.description,
    examples: row.examples,
    bytes: row.bytes,
    sha256: row.sha256,
    created_at: new Date(row.created_at).toISOString(),
  };
}
