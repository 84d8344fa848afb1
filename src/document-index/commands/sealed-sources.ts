import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Unprocessable } from '../../contracts/problems.ts';
import type { IndexDependencies } from '../index-dependencies.ts';

type Sealing = Pick<IndexDependencies, 'blobs' | 'sealingKey'>;

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Descriptors contain passwords and tokens, and a command may run much later, in another process: they are stored
 * encrypted until it ends. Returns the key of the blob.
 */
export async function sealSources(
  { blobs, sealingKey }: Sealing,
  bot: string,
  sources: readonly SourceDescriptor[],
): Promise<string> {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, keyFrom(sealingKey), nonce);
  const sealed = Buffer.concat([encryption.update(JSON.stringify(sources), 'utf8'), encryption.final()]);
  const key = `index/${bot}/sources-${randomUUID()}`;
  await blobs.put(key, [Buffer.concat([nonce, encryption.getAuthTag(), sealed])]);
  return key;
}

export async function unsealSources(
  { blobs, sealingKey }: Sealing,
  key: string,
): Promise<SourceDescriptor[]> {
  const bytes = await buffer((await blobs.get(key)).body);
  try {
    const decryption = createDecipheriv(cipher, keyFrom(sealingKey), bytes.subarray(0, nonceBytes));
    decryption.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = Buffer.concat([
      decryption.update(bytes.subarray(nonceBytes + tagBytes)),
      decryption.final(),
    ]);
    return JSON.parse(text.toString('utf8')) as SourceDescriptor[];
  } catch (error) {
    throw new Unprocessable(
      'the sources of this command were stored under another admin key, and must be sent again',
      { cause: error },
    );
  }
}

const keyFrom = (secret: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', 'roundhouse index sources', 32));
