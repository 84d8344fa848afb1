import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../platform/database/database.ts';
import { isLocked, lockOf } from '../../files/locks/folder-lock.ts';
import { listModels } from '../models-store.ts';
import { listReplaced } from './replaced-store.ts';

/** Deletes what imports that ended in a crash left behind. Another process may be importing into the same folder. */
export async function sweepImported(database: Database, importedFolder: string): Promise<void> {
  const names = await readdir(importedFolder).catch(() => []);
  const folders = new Set(names.map((name) => join(importedFolder, name.replace(/\.(partial|lock)$/, ''))));
  const idle: string[] = [];
  for (const folder of folders) if (!(await isLocked(folder))) idle.push(folder);
  // Read after the locks: an import that has released its lock by then has committed its model before.
  const models = [...(await listModels(database)), ...(await listReplaced(database))];
  const kept = new Set(models.map((model) => model.folder));
  for (const folder of idle) {
    if (!kept.has(folder)) await rm(folder, { recursive: true, force: true });
    await rm(`${folder}.partial`, { recursive: true, force: true });
    await rm(lockOf(folder), { force: true });
  }
}
