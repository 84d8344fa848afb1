import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BadRequest } from '../../../contracts/problems.ts';
import type { ModelFormat } from '../../facts/model-format.ts';
import { withFolderLock } from '../../files/locks/folder-lock.ts';
import { convertLora } from './convert-lora.ts';

interface Base {
  format: ModelFormat;
  /** The file or folder that an engine loads. */
  entry: string;
}

interface Adapter extends Base {
  id: string;
  folder: string;
}

const longestConversion = 60 * 60_000;

/**
 * The file or folder that an engine loads for an adapter on this base. For a GGUF base, a PEFT adapter is converted
 * once; throws where the adapter was made for another base.
 */
export async function adapterFile(convertedFolder: string, adapter: Adapter, base: Base): Promise<string> {
  if (adapter.format !== 'peft' || base.format !== 'gguf') return adapter.entry;
  const to = join(convertedFolder, await nameOf(adapter, base));
  if (existsSync(to)) return to;
  await mkdir(convertedFolder, { recursive: true });
  // Two deployments may ask for the same conversion at once, also in two processes.
  await withFolderLock(to, { signal: AbortSignal.timeout(longestConversion) }, async () => {
    if (!existsSync(to)) await convertLora({ adapter: adapter.folder, base: base.entry, to });
  }).catch((error: Error) => {
    throw error instanceof BadRequest
      ? new BadRequest(`the adapter '${adapter.id}': ${error.message}`)
      : error;
  });
  return to;
}

/** Whether a converted file belongs to an adapter and a base that are both still here. */
export function isAdapterOn(name: string, models: readonly Pick<Adapter, 'folder' | 'entry'>[]): boolean {
  const [adapter, base] = name.split('-');
  return (
    models.some((model) => keyOf(model.folder) === adapter) &&
    models.some((model) => keyOf(model.entry) === base)
  );
}

/** Deletes the conversions of a model as an adapter and for it as a base, except those that pods use. */
export async function dropConversions(
  convertedFolder: string,
  model: Pick<Adapter, 'folder' | 'entry'>,
  inUse: readonly string[],
): Promise<void> {
  for (const name of await readdir(convertedFolder).catch(() => [])) {
    const [adapter, base] = name.split('-');
    const file = join(convertedFolder, name);
    if (adapter !== keyOf(model.folder) && base !== keyOf(model.entry)) continue;
    if (!inUse.includes(file)) await rm(file, { force: true });
  }
}

/** The name changes when either file does. */
async function nameOf(adapter: Adapter, base: Base): Promise<string> {
  const files = [join(adapter.folder, 'adapter_model.safetensors'), base.entry];
  const times = await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs));
  return `${keyOf(adapter.folder)}-${keyOf(base.entry)}-${keyOf(JSON.stringify(times))}.gguf`;
}

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
