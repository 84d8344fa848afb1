import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { InsufficientMemoryError, NoBinaryFoundError } from 'node-llama-cpp';
import { EngineStartFailed } from '../../../engine.ts';

/** Says in words why a model file can't be served; a file that looks damaged is named with its size and hash. */
export async function startFailure(
  path: string,
  error: unknown,
  nativeLog: string,
): Promise<EngineStartFailed> {
  if (error instanceof EngineStartFailed) return error;
  const reason = [error instanceof Error ? error.message : String(error), nativeLog]
    .filter(Boolean)
    .join(': ');
  const because = { cause: error };
  if (error instanceof NoBinaryFoundError)
    return new EngineStartFailed(
      'unsupported',
      `llama.cpp has no binary for this machine: ${reason}`,
      because,
    );
  if (error instanceof InsufficientMemoryError || /out of memory|alloc|memory/i.test(reason))
    return new EngineStartFailed(
      'out-of-memory',
      `There is not enough memory for ${path}: ${reason}`,
      because,
    );
  if (/unknown (model )?architecture|unsupported/i.test(reason))
    return new EngineStartFailed('unsupported', `llama.cpp does not know this model: ${reason}`, because);
  return new EngineStartFailed(
    'corrupt-file',
    `${path} is damaged or was not downloaded whole: ${reason} (${await describe(path)})`,
    because,
  );
}

/** Refuses what is plainly no model before llama.cpp sees it. */
export async function checkModelFile(path: string): Promise<{ size: number }> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new EngineStartFailed('missing-file', `There is no model file at ${path}`);
  const head = await firstBytes(path, 24);
  if (head.toString('latin1', 0, 4) !== 'GGUF')
    throw new EngineStartFailed('corrupt-file', `${path} is not a GGUF model file (${await describe(path)})`);
  if (!isPlausible(head, found.size))
    throw new EngineStartFailed(
      'corrupt-file',
      `${path} is damaged or was not downloaded whole: its header makes no sense (${await describe(path)})`,
    );
  return { size: found.size };
}

/** The library reads on without end where the version or the counts of entries are nonsense. */
function isPlausible(head: Buffer, size: number): boolean {
  if (head.length < 24 || head.readUInt32LE(4) > 3) return false;
  // No tensor is described in fewer than 24 bytes, no entry in fewer than 13.
  return head.readBigUInt64LE(8) * 24n + head.readBigUInt64LE(16) * 13n <= BigInt(size);
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  return Buffer.concat(await createReadStream(path, { end: count - 1 }).toArray());
}

async function describe(path: string): Promise<string> {
  const hash = createHash('sha256');
  const { size } = await stat(path);
  await pipeline(createReadStream(path), hash);
  return `${size} bytes, sha256 ${hash.digest('hex')}`;
}
