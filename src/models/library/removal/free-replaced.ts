import { ifFolderFree } from '../../files/locks/folder-lock.ts';
import type { ModelRecord } from '../model-record.ts';
import { type FreeDependencies, freeFiles } from './free-files.ts';
import { dropReplaced, listReplaced } from './replaced-store.ts';

/**
 * Deletes the files that one model, or any, has left behind. Those that a pod may load again stay, and those of a
 * repository that a download is writing to: they go with the next change or at the next start.
 */
export async function freeReplaced(deps: FreeDependencies, modelId?: string): Promise<void> {
  for (const record of await listReplaced(deps.database, modelId)) {
    if (await isLoaded(deps, record)) continue;
    const free = async () => {
      await freeFiles(deps, record);
      await dropReplaced(deps.database, record.folder);
    };
    if (record.repository === null) await free();
    else await ifFolderFree(await deps.cache.lockable(record.repository), free);
  }
}

async function isLoaded(
  { deployedPaths }: Pick<FreeDependencies, 'deployedPaths'>,
  { folder }: Pick<ModelRecord, 'folder'>,
): Promise<boolean> {
  return (await deployedPaths()).some((path) => `${path}/`.startsWith(`${folder}/`));
}
