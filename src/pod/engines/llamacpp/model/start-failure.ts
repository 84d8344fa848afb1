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
  const magic = await firstBytes(path, 4);
  if (magic !== 'GGUF')
    throw new EngineStartFailed('corrupt-file', `${path} is not a GGUF model file (${await describe(path)})`);
  return { size: found.size };
}

async function firstBytes(path: string, count: number): Promise<string> {
  const chunks = await createReadStream(path, { end: count - 1 }).toArray();
  return Buffer.concat(chunks).toString('latin1');
}

async function describe(path: string): Promise<string> {
  const hash = createHash('sha256');
  const { size } = await stat(path);
  await pipeline(createReadStream(path), hash);
  return `${size} bytes, sha256 ${hash.digest('hex')}`;
}
