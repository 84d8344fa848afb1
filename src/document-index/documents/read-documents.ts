import type { DocumentStatus } from '../../contracts/document-index/documents.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { botKey, type RemovalPayload, removalKind } from '../command-work.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { listDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { describeDocuments } from './document-status.ts';

type Reading = Pick<IndexDependencies, 'database' | 'queue'>;

/** The documents of a bot. Throws `NotFound` if there are none, as the specification asks. */
export async function readDocuments(deps: Reading, bot: string): Promise<DocumentStatus[]> {
  await requireBot(deps.database, bot);
  const documents = describeDocuments(await listDocuments(deps.database, bot), await deletions(deps, bot));
  if (documents.length === 0) {
    throw new NotFound('documents of bot', bot, { words: `bot '${bot}' has no documents` });
  }
  return documents;
}

/** Throws `Conflict` for a document that could not be processed, as the specification asks. */
export async function readDocument(deps: Reading, bot: string, name: string): Promise<DocumentStatus> {
  await requireBot(deps.database, bot);
  const versions = await listDocuments(deps.database, bot, { name });
  const [document] = describeDocuments(versions, await deletions(deps, bot));
  if (!document) throw new NotFound('document', name);
  if (document.status === 'error') {
    throw new Conflict(`document '${name}' could not be processed: ${document.error}`, {
      code: 'document_failed',
    });
  }
  return document;
}

async function deletions({ queue }: Reading, bot: string): Promise<(name: string) => boolean> {
  const payloads = (await queue.active([botKey(bot)]))
    .filter(({ kind }) => kind === removalKind)
    .map(({ payload }) => payload as RemovalPayload);
  const names = new Set(payloads.filter(({ type }) => type === 'delete_document').map((one) => one.document));
  const all = payloads.some(({ type }) => type === 'delete_bot');
  return (name) => all || names.has(name);
}
