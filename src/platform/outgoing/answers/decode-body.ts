import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Refused } from './answer-problem.ts';

/** Text rarely shrinks to less than a fiftieth; what grows more than this was made to fill memory and disk. */
const mostGrowth = 200;
/** Small bodies may grow as they like. */
const harmless = 8 * 2 ** 20;

const decoders = new Map<string, () => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
]);

export const isEncoded = (headers: Record<string, string>): boolean =>
  !['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '');

/** We ask for bodies that are not compressed, but some servers compress regardless. */
export async function* decodeBody(
  source: AsyncIterable<Uint8Array>,
  encoding: string,
  host: string,
): AsyncGenerator<Uint8Array> {
  const create = decoders.get(encoding.trim().toLowerCase());
  if (!create) throw new Refused(`${host} sends an unknown content encoding`);
  let received = 0;
  let produced = 0;
  const counted = async function* () {
    for await (const chunk of source) {
      received += chunk.length;
      yield chunk;
    }
  };
  const decoder = create();
  const input = Readable.from(counted(), { objectMode: false });
  input.on('error', (error) => decoder.destroy(error));
  try {
    for await (const chunk of input.pipe(decoder) as AsyncIterable<Buffer>) {
      produced += chunk.length;
      if (produced > harmless && produced > received * mostGrowth) {
        throw new Refused(
          `${host} sends content that grows more than ${mostGrowth} times when it is unpacked`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (/^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD|ERR_ZSTD|ERR_PADDING)/.test(code)) {
      throw new Refused(`${host} sends damaged content`, { cause: error });
    }
    throw error;
  } finally {
    input.destroy();
    decoder.destroy();
  }
}
