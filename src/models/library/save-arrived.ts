import type { Database } from '../../platform/database/database.ts';
import type { WorkContext } from '../../platform/queue/work-kind.ts';
import { findModel, type KeptModel, saveModel } from './models-store.ts';
import { putReplaced } from './removal/replaced-store.ts';

/**
 * Ends the job with the model in the library. The same commit records the files that it replaces; they are deleted
 * afterwards (`freeReplaced`), so a crash at any time leaves the old model or the new one, and nothing behind for good.
 */
export async function saveArrived(
  context: Pick<WorkContext, 'finish' | 'signal'>,
  model: KeptModel,
): Promise<void> {
  context.signal.throwIfAborted();
  await context.finish(async (session) => {
    const before = await findModel(session, model.id);
    if (before && before.folder !== model.folder) await putReplaced(session, before);
    await saveModel(session, model);
  });
}

/** Whether the library has a model in a folder. */
export async function isSaved(database: Database, id: string, folder: string): Promise<boolean> {
  return (await findModel(database, id))?.folder === folder;
}
