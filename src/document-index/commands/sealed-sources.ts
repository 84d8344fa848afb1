import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Unprocessable } from '../../contracts/problems.ts';
import type { IndexDependencies } from '../index-dependencies.ts';

type Sealing = Pick<IndexDependencies, 'blobs' | 'secrets'>;

/**
 * Descriptors contain passwords and tokens, and a command may run much later, in another process: they are stored
 * encrypted until it ends. Returns the key of the blob.
 */
export async function sealSources(
  { blobs, secrets }: Sealing,
  bot: string,
  sources: readonly SourceDescriptor[],
): Promise<string> {
  const key = `index/${bot}/sources-${randomUUID()}`;
  await blobs.put(key, [secrets.seal(JSON.stringify(sources), key)]);
  return key;
}

export async function unsealSources({ blobs, secrets }: Sealing, key: string): Promise<SourceDescriptor[]> {
  const text = secrets.open(await buffer((await blobs.get(key)).body), key);
  if (text === undefined) {
    throw new Unprocessable(
      'the sources of this command were stored under another secret key, and must be sent again',
    );
  }
  return JSON.parse(text) as SourceDescriptor[];
}
