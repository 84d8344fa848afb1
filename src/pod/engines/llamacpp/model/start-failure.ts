import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { InsufficientMemoryError, NoBinaryFoundError } from 'node-llama-cpp';
import { EngineStartFailed } from '../../../engine.ts';

/**
 * Explains why a model file can't be served. For a file that looks damaged, the message includes its size and hash.
 */
export async function startFailure(
  path: string,
  error: unknown,
  nativeLog: string,
): Promise<EngineStartFailed> {
  if (error instanceof EngineStartFailed) return error;
  const reason = [error instanceof Error ? error.message : String(error), nativeLog]
    .filter(Boolean)
    .join(': ');
  const options = { cause: error };
  if (error instanceof NoBinaryFoundError)
    return new EngineStartFailed(
      'unsupported',
      `llama.cpp has no binary for this machine: ${reason}`,
      options,
    );
  if (error instanceof InsufficientMemoryError || /out of memory|alloc|memory/i.test(reason))
    return new EngineStartFailed('out-of-memory', `Not enough memory for ${path}: ${reason}`, options);
  if (/unknown (model )?architecture|unsupported/i.test(reason))
    return new EngineStartFailed('unsupported', `llama.cpp does not support this model: ${reason}`, options);
  return new EngineStartFailed(
    'corrupt-file',
    `${path} is damaged or was not downloaded completely: ${reason} (${await describe(path)})`,
    options,
  );
}

/** Rejects files that are clearly not models before llama.cpp reads them. */
export async function checkModelFile(path: string): Promise<{ size: number }> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new EngineStartFailed('missing-file', `No model file found at ${path}`);
  const head = await firstBytes(path, 24);
  if (head.toString('latin1', 0, 4) !== 'GGUF')
    throw new EngineStartFailed('corrupt-file', `${path} is not a GGUF model file (${await describe(path)})`);
  if (!isPlausible(head, found.size))
    throw new EngineStartFailed(
      'corrupt-file',
      `${path} is damaged or was not downloaded completely: its header is invalid (${await describe(path)})`,
    );
  return { size: found.size };
}

/** With an invalid version or entry count, the library never stops reading. */
function isPlausible(head: Buffer, size: number): boolean {
  if (head.length < 24 || head.readUInt32LE(4) > 3) return false;
  // A tensor description takes at least 24 bytes, a metadata entry at least 13.
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
