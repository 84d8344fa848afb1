import type { ModelRecord } from '../model-record.ts';
import { type FreeDependencies, freeFiles } from './free-files.ts';
import { dropReplaced, listReplaced } from './replaced-store.ts';

/** Deletes the files that one model, or any, has replaced, unless a pod may load them again. */
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
