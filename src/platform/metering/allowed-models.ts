import type { Caller } from '../http/access.ts';

/** Whether a caller's key may name a model. */
export function mayUseModel(caller: Caller, model: string): boolean {
  return caller.kind !== 'key' || (caller.limits.models?.includes(model) ?? true);
}

/** Those of the models that a caller may name. */
export function allowedModels<M extends { id: string }>(caller: Caller, models: readonly M[]): M[] {
  return models.filter(({ id }) => mayUseModel(caller, id));
}
