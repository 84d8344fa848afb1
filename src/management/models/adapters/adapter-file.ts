import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRecord } from '../library/model-record.ts';
import { convertLora } from './convert-lora.ts';

type Adapter = Pick<ModelRecord, 'id' | 'format' | 'entry' | 'folder'>;
type Base = Pick<ModelRecord, 'format' | 'entry'>;

/**
 * The file or folder to give an engine for an adapter on this base. For a GGUF base a PEFT adapter is converted, once;
 * throws where it does not belong to that base.
 */
export async function adapterFile(convertedFolder: string, adapter: Adapter, base: Base): Promise<string> {
  if (adapter.format !== 'peft' || base.format !== 'gguf') return adapter.entry;
  const to = join(convertedFolder, `${await fingerprint(adapter, base)}.gguf`);
  if (existsSync(to)) return to;
  await mkdir(convertedFolder, { recursive: true });
  await convertLora({ adapter: adapter.folder, base: base.entry, to });
  return to;
}

/** Another one as soon as either file has changed. */
async function fingerprint(adapter: Adapter, base: Base): Promise<string> {
  const files = [join(adapter.folder, 'adapter_model.safetensors'), base.entry];
  const states = await Promise.all(files.map(async (file) => [file, (await stat(file)).mtimeMs]));
  return createHash('sha256').update(JSON.stringify(states)).digest('hex').slice(0, 32);
}
