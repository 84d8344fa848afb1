import { BotId } from '../../contracts/document-index/bots.ts';
import { NotFound } from '../../contracts/problems.ts';
import { isBlobKey } from '../../platform/blobs/blob-key.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Bots, OpenDocument } from '../bots.ts';
import type { DocumentPath } from './document-path.ts';
import { blobOf } from './store-document.ts';

export interface OpenDependencies {
  bots: Pick<Bots, 'openDocument'>;
  blobs: Pick<BlobStore, 'get' | 'head'>;
}

type Opened = Pick<OpenDocument, 'size' | 'modifiedAt' | 'read'>;

/** Opens an uploaded file, or the original of a document that a bot has indexed. */
export async function openDocument(
  { bots, blobs }: OpenDependencies,
  { bot, name }: DocumentPath,
): Promise<Opened> {
  if (bot !== undefined) {
    if (!BotId.safeParse(bot).success) throw new NotFound('bot', bot.slice(0, 100));
    return bots.openDocument(bot, name);
  }
  const key = blobOf(name);
  const info = isBlobKey(key) ? await blobs.head(key) : undefined;
  if (!info) throw new NotFound('document', name.slice(0, 200));
  return { ...info, read: async (range) => (await blobs.get(key, range ? { range } : {})).body };
}
