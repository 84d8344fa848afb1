import { globSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isAdapterOn } from '../../conversion/adapters/adapter-file.ts';
import { servedForm } from '../../conversion/served-form.ts';
import { isLocked, lockOf } from '../../files/locks/folder-lock.ts';
import type { ModelRecord } from '../model-record.ts';

interface ConversionFolders {
  /** Where converted adapters are kept. */
  convertedFolder: string;
  /** The hub's cache, with models that were converted beside their originals. */
  cacheRoot: string;
}

/** A converter writes all the time, so a file that it has not touched for so long has no writer. */
const abandonedAfter = 6 * 60 * 60_000;

/** Deletes conversions that ended in a crash, and conversions of adapters whose adapter or base is gone. */
export async function sweepConversions(
  { convertedFolder, cacheRoot }: ConversionFolders,
  models: readonly ModelRecord[],
  inUse: readonly string[],
): Promise<void> {
  const forms = models.map((model) => ({ folder: model.folder, entry: servedForm(model).entry }));
  for (const name of globSync('*.gguf{,.partial,.lock}', { cwd: convertedFolder })) {
    const file = join(convertedFolder, name.replace(/\.(partial|lock)$/, ''));
    if (await isLocked(file)) continue;
    await rm(`${file}.partial`, { force: true });
    await rm(lockOf(file), { force: true });
    if (!inUse.includes(file) && !isAdapterOn(basename(file), forms)) await rm(file, { force: true });
  }
  for (const name of globSync('models--*/snapshots/*/model-*.gguf.partial', { cwd: cacheRoot })) {
    const file = join(cacheRoot, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > abandonedAfter) await rm(file, { force: true });
  }
}
