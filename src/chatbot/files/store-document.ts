import type { Actor } from '../../contracts/actor.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { StoredDocument } from '../../contracts/document-index/feedback.ts';
import { BadRequest, NotFound, PayloadTooLarge } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Database } from '../../platform/database/database.ts';

export interface StoreDependencies {
  blobs: Pick<BlobStore, 'put' | 'head' | 'delete'>;
  database: Database;
  clock: Clock;
  maxSize: number;
}

interface Upload {
  name: string;
  content: AsyncIterable<Uint8Array>;
}

export const blobOf = (name: string) => `documents/${name}`;

/** Stores a file, or replaces it as a whole: readers see the old one until the new one is complete. */
export async function storeDocument(
  { blobs, database, clock, maxSize }: StoreDependencies,
  actor: Actor,
  { name, content }: Upload,
): Promise<StoredDocument> {
  const { size, sha256 } = await blobs.put(blobOf(name), limited(content, maxSize));
  await database.transaction((session) =>
    recordAction({ session, clock }, actor, {
      action: 'document.store',
      subject: name,
      details: { bytes: size, sha256 },
    }),
  );
  return { filename: name, uri: `/documents/${encodeURIComponent(name)}`, bytes: size, sha256 };
}

export async function removeDocument(
  { blobs, database, clock }: StoreDependencies,
  actor: Actor,
  name: string,
): Promise<void> {
  if (!(await blobs.head(blobOf(name)))) throw new NotFound('document', name);
  await blobs.delete(blobOf(name));
  await database.transaction((session) =>
    recordAction({ session, clock }, actor, { action: 'document.remove', subject: name }),
  );
}

async function* limited(content: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of unlessCutOff(content)) {
    size += chunk.length;
    if (size > most) throw new PayloadTooLarge(`a document may have at most ${most} bytes`);
    yield chunk;
  }
}

async function* unlessCutOff(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (cause) {
    throw new BadRequest('the connection was lost before the file was complete', { cause });
  }
}
