import { NotFound } from '../../contracts/problems.ts';
import type { Caller } from '../http/access.ts';

/** Whether a caller's key may name a model. */
export function mayUseModel(caller: Caller, model: string): boolean {
  return caller.kind !== 'key' || (caller.limits.models?.includes(model) ?? true);
}

/** Those of the models that a caller may name. */
export function allowedModels<M extends { id: string }>(caller: Caller, models: readonly M[]): M[] {
  return models.filter(({ id }) => mayUseModel(caller, id));
}

/** The model with this id, if the caller may name it. */
export function allowedModel<M extends { id: string }>(caller: Caller, models: readonly M[], id: string): M {
  const found = models.find((model) => model.id === id);
  if (found && mayUseModel(caller, id)) return found;
  throw new NotFound('model', id, { code: 'model_not_found', param: 'model' });
}
