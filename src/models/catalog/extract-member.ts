import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { UpstreamFailed } from '../../contracts/problems.ts';
import { Refused } from '../files/http/answer-problem.ts';

/** Writes one member of a zip archive (a wheel, a jar) to a file, and no more bytes than it should have. */
export async function extractMember(
  archive: string,
  member: string,
  to: string,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  const zip = await openPromise(archive).catch((error: Error) => {
    throw new UpstreamFailed(`the package is damaged: ${error.message}`, { cause: error });
  });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== member) continue;
      if (entry.uncompressedSize !== size) {
        throw new UpstreamFailed(
          `${member} in the package has ${entry.uncompressedSize} bytes instead of ${size}`,
        );
      }
      await mkdir(dirname(to), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), atMost(size), createWriteStream(to), { signal });
      return;
    }
  } finally {
    zip.close();
  }
  throw new Refused(`the package does not contain ${member}`);
}

function atMost(size: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      seen += chunk.length;
      next(
        seen > size ? new UpstreamFailed('the package contains more than its directory says') : null,
        chunk,
      );
    },
  });
}
