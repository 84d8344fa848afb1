import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../platform/database/database.ts';
import { listModels } from '../models-store.ts';
import { listReplaced } from './replaced-store.ts';

/** Deletes what interrupted imports left behind. Called at startup, when no import is running. */
export async function sweepImported(database: Database, importedFolder: string): Promise<void> {
  const models = [...(await listModels(database)), ...(await listReplaced(database))];
  const kept = new Set(models.map((model) => model.folder));
  for (const name of await readdir(importedFolder).catch(() => [])) {
    const folder = join(importedFolder, name);
    if (!kept.has(folder)) await rm(folder, { recursive: true, force: true });
  }
}
