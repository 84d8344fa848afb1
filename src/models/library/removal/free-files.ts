import { rm } from 'node:fs/promises';
import type { Database } from '../../../platform/database/database.ts';
import type { ModelStore } from '../../catalog/model-store.ts';
import { dropConversions } from '../../conversion/adapters/adapter-file.ts';
import { servedForm } from '../../conversion/served-form.ts';
import type { HubCache } from '../../hub/hub-cache.ts';
import type { ModelRecord } from '../model-record.ts';
import { listModels } from '../models-store.ts';

export interface FreeDependencies {
  database: Database;
  cache: Pick<HubCache, 'remove' | 'lockable'>;
  catalogModels: Pick<ModelStore, 'remove'>;
  /** Where converted adapters are kept. */
  convertedFolder: string;
  /** Files and folders that pods of deployments are started with. */
  deployedPaths(): Promise<string[]>;
}

/** Deletes the files of a model that is no longer in the library. Files of models that are in it are kept. */
export async function freeFiles(deps: FreeDependencies, record: ModelRecord): Promise<void> {
  const { id, source, folder, repository, revision } = record;
  const sharing = (await listModels(deps.database)).filter((other) => other.folder === folder);
  if (sharing.length === 0) {
    const inUse = await deps.deployedPaths();
    await dropConversions(deps.convertedFolder, { folder, entry: servedForm(record).entry }, inUse);
  }
  if (source === 'catalog') return deps.catalogModels.remove(id);
  if (source !== 'hub' || repository === null || revision === null) {
    if (sharing.length === 0) await rm(folder, { recursive: true, force: true });
    return;
  }
  const shared = new Set(sharing.flatMap((other) => other.files));
  const files = record.files.filter((file) => !shared.has(file));
  await deps.cache.remove(repository, revision, files);
}
