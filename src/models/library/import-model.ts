import type { Actor } from '../../contracts/actor.ts';
import { Conflict } from '../../contracts/problems.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import { listFolder } from './importing/list-folder.ts';
import { type AddDependencies, modelKey, refuseTaken, startDownload } from './start-download.ts';

/** Starts to copy a model from a folder of the platform's machine. */
export async function importModel(
  deps: AddDependencies,
  actor: Actor,
  input: { model_id: string; folder: string },
): Promise<WorkItem> {
  const { model_id } = input;
  if (deps.catalog.some((model) => model.id === model_id)) {
    throw new Conflict(`'${model_id}' is the name of a starter model; import it under another one`);
  }
  await refuseTaken(deps.library, model_id);
  // The job reads it again; a folder that is missing or no model's is refused before there is one.
  await listFolder(input.folder, new AbortController().signal);
  return startDownload(deps, actor, {
    action: 'model.import',
    payload: { from: 'folder', ...input },
    key: modelKey(model_id),
  });
}
