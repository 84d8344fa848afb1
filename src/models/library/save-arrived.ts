import type { WorkContext } from '../../platform/queue/work-kind.ts';
import { findModel, type KeptModel, saveModel } from './models-store.ts';
import { type FreeDependencies, freeFiles } from './removal/free-files.ts';
import { freeReplaced, isLoaded } from './removal/free-replaced.ts';
import { dropReplaced, putReplaced } from './removal/replaced-store.ts';

export type SaveDependencies = FreeDependencies;

/** Ends the job with the model in the library. The files it replaces are deleted once no pod may load them again. */
export async function saveArrived(
  deps: SaveDependencies,
  context: Pick<WorkContext, 'finish' | 'signal'>,
  model: KeptModel,
): Promise<void> {
  const found = await findModel(deps.database, model.id);
  const before = found?.folder === model.folder ? undefined : found;
  const kept = before !== undefined && (await isLoaded(deps, before));
  context.signal.throwIfAborted();
  // Before the job ends: after that, the next job for this repository may write into the same folder.
  await dropReplaced(deps.database, model.folder);
  await freeReplaced(deps, model.id);
  if (before && !kept) await freeFiles(deps, before);
  await context.finish(async (session) => {
    await saveModel(session, model);
    if (kept) await putReplaced(session, before);
  });
}
