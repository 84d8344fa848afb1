import { NotFound } from '../../contracts/problems.ts';
import type { Caller } from '../http/access.ts';
import { modelNotAllowed } from './refusals.ts';

/** Whether a caller's key may use a model by a name: the name is allowed, or the served model that it is an alias of. */
export function mayUseModel(caller: Caller, name: string, served: string = name): boolean {
  const allowed = caller.kind === 'key' ? caller.limits.models : undefined;
  return allowed == null || allowed.includes(name) || allowed.includes(served);
}

/** Throws the refusal for a caller whose key is limited to other models. */
export function requireModel(caller: Caller, name: string): void {
  if (!mayUseModel(caller, name)) throw modelNotAllowed(name);
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
