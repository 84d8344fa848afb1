import type { ModelRecord } from '../model-record.ts';
import { type FreeDependencies, freeFiles } from './free-files.ts';
import { dropReplaced, listReplaced } from './replaced-store.ts';

/** Frees what models have replaced, as far as no pod may have to load it again: of all, or of one. */
export async function freeReplaced(deps: FreeDependencies, modelId?: string): Promise<void> {
  for (const record of await listReplaced(deps.database, modelId)) {
    if (await isLoaded(deps, record)) continue;
    await freeFiles(deps, record);
    await dropReplaced(deps.database, record.folder);
  }
}

export async function isLoaded(
  { deployedPaths }: Pick<FreeDependencies, 'deployedPaths'>,
  { folder }: Pick<ModelRecord, 'folder'>,
): Promise<boolean> {
  return (await deployedPaths()).some((path) => `${path}/`.startsWith(`${folder}/`));
}
