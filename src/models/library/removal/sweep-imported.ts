import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../platform/database/database.ts';
import type { WorkQueue } from '../../../platform/queue/work-queue.ts';
import { isFolderOf } from '../import-names.ts';
import { listModels } from '../models-store.ts';
import { listReplaced } from './replaced-store.ts';

/**
 * Deletes what interrupted imports left behind. Folders of imports that run or wait are kept: another platform may
 * share the data folder and be copying into one.
 */
export async function sweepImported(
  database: Database,
  queue: Pick<WorkQueue, 'list'>,
  importedFolder: string,
): Promise<void> {
  const names = await readdir(importedFolder).catch(() => []);
  const active = await queue.list({ kinds: ['DOWNLOAD'], states: ['CREATED', 'RUNNING'] });
  const models = [...(await listModels(database)), ...(await listReplaced(database))];
  const kept = new Set(models.map((model) => model.folder));
  const isActive = (name: string) => active.some(({ id }) => isFolderOf(name, id));
  for (const name of names) {
    const folder = join(importedFolder, name);
    if (!kept.has(folder) && !isActive(name)) await rm(folder, { recursive: true, force: true });
  }
}
