import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreeDependencies } from './free-files.ts';
import { listModels } from './models-store.ts';

/** At a start, when nothing is on its way: frees what imports have left that no model is and no pod loads any more. */
export async function sweepImported(
  { database, deployedPaths }: Pick<FreeDependencies, 'database' | 'deployedPaths'>,
  importedFolder: string,
): Promise<void> {
  const folders = (await listModels(database)).map((model) => model.folder);
  const kept = [...folders, ...(await deployedPaths())];
  for (const name of await readdir(importedFolder).catch(() => [])) {
    const folder = join(importedFolder, name);
    if (kept.some((path) => `${path}/`.startsWith(`${folder}/`))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}
