import type { Actor } from '../../contracts/actor.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import { parseModelId } from '../hub/model-reference.ts';
import {
  type AddDependencies,
  modelKey,
  refuseTaken,
  repositoryKey,
  startDownload,
} from './start-download.ts';

/** Starts to add a model: from the catalog by its short id, any other from the hub. */
export async function addModel(
  deps: AddDependencies,
  actor: Actor,
  input: { model_id: string; allow_pickle: boolean },
): Promise<WorkItem> {
  const action = 'model.add';
  const { model_id } = input;
  if (deps.catalog.some((model) => model.id === model_id)) {
    return startDownload(deps, actor, {
      action,
      payload: { from: 'catalog', model_id },
      key: modelKey(model_id),
    });
  }
  const { repository } = parseModelId(model_id);
  await refuseTaken(deps.library, model_id);
  return startDownload(deps, actor, {
    action,
    payload: { from: 'hub', ...input },
    key: repositoryKey(repository),
  });
}
