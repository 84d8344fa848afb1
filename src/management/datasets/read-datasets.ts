import type { Conversation, Dataset } from '../../contracts/management/datasets.ts';
import type { OpenBlob } from '../../platform/blobs/blob-store.ts';
import { readConversation } from './conversation-line.ts';
import { blobKey, type DatasetDependencies, datasetRow, describeDataset } from './dataset-record.ts';
import { listDatasetRows } from './datasets-store.ts';
import { splitLines } from './split-lines.ts';

export async function listDatasets(deps: DatasetDependencies): Promise<Dataset[]> {
  return (await listDatasetRows(deps.database)).map((row) => describeDataset(deps, row));
}

export async function openDataset(
  deps: DatasetDependencies,
  id: string,
): Promise<{ dataset: Dataset; blob: OpenBlob }> {
  const row = await datasetRow(deps, id);
  return { dataset: describeDataset(deps, row), blob: await deps.blobs.get(blobKey(row)) };
}

/** The first conversations of a data set as messages, whatever format they were uploaded in. */
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
