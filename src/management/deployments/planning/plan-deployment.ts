import { isDeepStrictEqual } from 'node:util';
import { optionProblems } from '../../../contracts/check-engine-options.ts';
import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { type EngineOptions, optionsOf } from '../../../contracts/engine-options.ts';
import type { DeployRequest, Slot } from '../../../contracts/management/deployments.ts';
import { type InputIssue, InvalidInput, NotFound } from '../../../contracts/problems.ts';
import type { FreeMemory } from '../memory/check-memory.ts';
import { placementProblem } from '../memory/place-pods.ts';
import type { StoredDeployment } from '../records/deployments-store.ts';
import { adapterProblem, improvementProblem } from './check-adapters.ts';
import { chooseEngine } from './choose-engine.ts';
import type { DeployableModel, DeployableModels } from './deployable-models.ts';
import { tasksOf } from './slot-tasks.ts';

export interface DeploymentPlan {
  slot: Slot;
  model: DeployableModel;
  adapter_ids: string[];
  engine: PodEngine;
  dtype: string | null;
  replicas: number;
  options: EngineOptions;
}

export interface PlanningDependencies {
  models: DeployableModels;
  freeMemory(): Promise<FreeMemory>;
}

/** Checks a request and plans its deployment without touching running pods. Throws all that is wrong with it. */
export async function planDeployment(
  { models, freeMemory }: PlanningDependencies,
  slot: Slot,
  request: DeployRequest,
): Promise<DeploymentPlan> {
  const model = await modelOf(models, request.model_id);
  const adapters = await Promise.all(request.adapter_ids.map((id) => modelOf(models, id)));
  const issues: InputIssue[] = [];
  const refuse = (field: string, msg: string) =>
    void issues.push({ loc: ['body', field], msg, type: 'value_error' });
  const misplaced = modelProblem(slot, model);
  if (misplaced) throw new InvalidInput([{ loc: ['body', 'model_id'], msg: misplaced, type: 'value_error' }]);

  // No dtype and auto mean the same, so a change from one to the other must not reload the model.
  const dtype = request.dtype === 'auto' ? null : (request.dtype ?? null);
  const options = optionsOf(request);
  const free = await freeMemory();
  const wishes = { engine: request.engine ?? null, adapters: adapters.length, gpu: free.gpus.length > 0 };
  const chosen = chooseEngine(model, { ...wishes, dtype });
  if ('refusal' in chosen) {
    refuse(chosen.field, `'${model.model_id}' can't be deployed: ${chosen.refusal}`);
  }
  // What else is wrong is judged by the engine that it would have without the refused field.
  const engine = 'engine' in chosen ? chosen.engine : (request.engine ?? model.engines[0]);
  for (const { field, msg } of engine ? optionProblems(engine, options) : []) refuse(field, msg);
  const tooLong = lengthProblem(model, options);
  if (tooLong) refuse('max_model_len', tooLong);
  const unplaced = engine && placementProblem({ engine, options }, free);
  if (unplaced && !issues.some(({ loc }) => loc[1] === unplaced.field)) refuse(unplaced.field, unplaced.msg);
  for (const adapter of adapters) {
    const problem =
      adapterProblem(model, adapter, engine ?? '') ??
      improvementProblem(adapter, request.min_improvement ?? null);
    if (problem) refuse('adapter_ids', problem);
  }
  if (issues.length > 0 || !engine) throw new InvalidInput(issues);
  const { adapter_ids, replicas } = request;
  return { slot, model, adapter_ids, engine, dtype, replicas, options };
}

function modelProblem(slot: Slot, { model_id, task, adapter }: DeployableModel): string | undefined {
  if (adapter) return `'${model_id}' is an adapter: deploy '${adapter.base_model_id}' with it in adapter_ids`;
  if (task === null || tasksOf(slot).includes(task)) return undefined;
  return `'${model_id}' is a model for ${task}, which the ${slot} slot does not serve`;
}

/** Extra arguments may extend what a model takes, so then it is left to the engine. */
function lengthProblem(
  { model_id, context_length }: DeployableModel,
  { max_model_len, extra_arguments }: EngineOptions,
): string | undefined {
  if (!context_length || !max_model_len || max_model_len <= context_length || extra_arguments)
    return undefined;
  return `'${model_id}' supports at most ${context_length} tokens`;
}

/** Whether a plan differs from what a slot serves in its adapters at most. */
export function hasSameBase(current: StoredDeployment, plan: DeploymentPlan): boolean {
  return (
    current.model_id === plan.model.model_id &&
    current.engine === plan.engine &&
    current.dtype === plan.dtype &&
    current.replicas === plan.replicas &&
    isDeepStrictEqual(current.options, plan.options)
  );
}

async function modelOf(models: DeployableModels, id: string): Promise<DeployableModel> {
  const model = await models.find(id);
  if (!model) {
    const words = `model '${id}' was not found; add it first`;
    throw new NotFound('model', id, { code: 'model_not_found', words });
  }
  return model;
}
