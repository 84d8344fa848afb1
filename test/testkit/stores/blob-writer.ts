/**
 * When run as a program, puts blobs into a folder until it is killed, and prints each key after its put has resolved:
 * `node test/testkit/stores/blob-writer.ts <folder> <first number>`.
 */
import { openFileBlobs } from '../../../src/platform/blobs/file-blobs.ts';

const WRITERS = 4;

/** A key determines its content, so that a reader can detect an incomplete blob. */
export const keyOf = (number: number) => `writes/${number % 5}/${number}`;
export const replacedKey = 'writes/replaced';

export function contentOf(number: number): Buffer {
  const line = Buffer.from(`${number}\n`);
  return Buffer.alloc(line.length * (1 + ((number * 7919) % 40_000)), line);
}

async function writeForever(folder: string, first: number): Promise<never> {
  const store = await openFileBlobs(folder);
  let next = first;
  const write = async (): Promise<never> => {
    for (;;) {
      const number = next++;
      await store.put(keyOf(number), inPieces(contentOf(number)));
      await store.put(replacedKey, inPieces(contentOf(number)));
      process.stdout.write(`${number}\n`);
    }
  };
  return Promise.race(Array.from({ length: WRITERS }, write));
}

function* inPieces(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; start += 16_384) yield content.subarray(start, start + 16_384);
}

if (import.meta.main) {
  const [folder = '', first = '0'] = process.argv.slice(2);
  await writeForever(folder, Number(first));
}
