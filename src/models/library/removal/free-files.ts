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
  cache: Pick<HubCache, 'remove'>;
  catalogModels: Pick<ModelStore, 'remove'>;
  /** Where converted adapters are kept. */
  convertedFolder: string;
  /** Files and folders that pods of deployments are started with. */
  deployedPaths(): Promise<string[]>;
}

/** Deletes the files of a model. Files that other models share are kept. */
export async function freeFiles(deps: FreeDependencies, record: ModelRecord): Promise<void> {
  const { id, source, folder, repository, revision } = record;
  const inUse = await deps.deployedPaths();
  await dropConversions(deps.convertedFolder, { folder, entry: servedForm(record).entry }, inUse);
  if (source === 'catalog') return deps.catalogModels.remove(id);
  if (source !== 'hub' || repository === null || revision === null) {
    return rm(folder, { recursive: true, force: true });
  }
  const others = (await listModels(deps.database)).filter(
    (other) => other.id !== id && other.repository === repository && other.revision === revision,
  );
  const shared = new Set(others.flatMap((other) => other.files));
  await deps.cache.remove(
    repository,
    revision,
    record.files.filter((file) => !shared.has(file)),
  );
}
