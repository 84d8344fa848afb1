import type { WorkContext } from '../../../platform/queue/work-kind.ts';
import { type FreeDependencies, freeFiles } from './free-files.ts';
import type { ModelRecord } from './model-record.ts';
import { findModel, type KeptModel, saveModel } from './models-store.ts';

export type SaveDependencies = FreeDependencies;

/** Ends the job with the model in the library. What it takes the place of goes, unless pods may have to load it again. */
export async function saveArrived(
  deps: SaveDependencies,
  context: Pick<WorkContext, 'finish' | 'signal'>,
  model: KeptModel,
): Promise<void> {
  const before = await findModel(deps.database, model.id);
  // Not after the end of the job: the next one for this repository would already be writing beside it.
  if (before && before.folder !== model.folder && !(await isLoaded(deps, before))) {
    context.signal.throwIfAborted();
    await freeFiles(deps, before);
  }
  await context.finish((session) => saveModel(session, model));
}

async function isLoaded({ deployedPaths }: SaveDependencies, { folder }: ModelRecord): Promise<boolean> {
  return (await deployedPaths()).some((path) => `${path}/`.startsWith(`${folder}/`));
}
