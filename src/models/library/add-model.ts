import type { Actor } from '../../contracts/actor.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import { fullId } from '../catalog/hub-model.ts';
import { suggestModels } from '../catalog/suggest-models.ts';
import { parseModelId } from '../hub/model-reference.ts';
import {
  type AddDependencies,
  modelKey,
  refuseTaken,
  repositoryKey,
  startDownload,
} from './start-download.ts';

/** Starts to add a model: from the catalog by its short id, any other from the hub. The catalog names some of those. */
export async function addModel(
  deps: AddDependencies,
  actor: Actor,
  input: { model_id: string; allow_pickle: boolean },
): Promise<WorkItem> {
  const action = 'model.add';
  const model_id = fullId(deps.hubModels, input.model_id);
  if (deps.catalog.some((model) => model.id === model_id)) {
    return startDownload(deps, actor, {
      action,
      payload: { from: 'catalog', model_id },
      key: modelKey(model_id),
    });
  }
  const { repository } = parseModelId(model_id);
  await refuseTaken(deps.library, model_id);
  if (!repository.includes('/')) throw unknownName(deps, model_id);
  return startDownload(deps, actor, {
    action,
    payload: { from: 'hub', model_id, allow_pickle: input.allow_pickle },
    key: repositoryKey(repository),
  });
}

/** A name without an organisation is one of the catalog's, or mistyped: the hub would be asked for minutes where it is out of reach. */
function unknownName({ catalog, hubModels }: AddDependencies, id: string): NotFound {
  const similar = suggestModels([...catalog, ...hubModels], id).map((name) => `'${name}'`);
  const meant = similar.length > 0 ? `did you mean ${similar.join(' or ')}? ` : '';
  const words = `'${id}' is not in the catalog, and models of the hub are named org/name; ${meant}search with 'roundhouse models search ${id}'`;
  return new NotFound('model', id, { words, code: 'model_not_found', param: 'model_id' });
}
