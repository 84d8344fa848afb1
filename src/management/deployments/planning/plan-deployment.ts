import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import type { PodTask } from '../../../contracts/dispatcher/pods.ts';
import type { DeployRequest, Slot } from '../../../contracts/management/deployments.ts';
import { type InputIssue, InvalidInput, NotFound } from '../../../contracts/problems.ts';
import type { StoredDeployment } from '../records/deployments-store.ts';
import type { PodSpec } from '../records/pod-spec.ts';
import { adapterProblem } from './check-adapters.ts';
import type { FreeMemory } from './check-memory.ts';
import { chooseEngine } from './choose-engine.ts';
import type { DeployableModel, DeployableModels } from './deployable-models.ts';

export const slotTasks: Record<Slot, PodTask> = { chat: 'llm', embeddings: 'embeddings', rerank: 'rerank' };

/** The tasks of models that a slot takes. Embeddings pods also rerank, by cosine similarity. */
const takenTasks: Record<Slot, readonly PodTask[]> = {
  chat: ['llm'],
  embeddings: ['embeddings'],
  rerank: ['rerank', 'embeddings'],
};

export interface DeploymentPlan {
  slot: Slot;
  model: DeployableModel;
  adapter_ids: string[];
  engine: PodEngine;
  dtype: string | null;
  replicas: number;
}

export interface PlanningDependencies {
  models: DeployableModels;
  freeMemory(): Promise<FreeMemory>;
}

/** Checks a request and plans its deployment without touching running pods. */
export async function planDeployment(
  { models, freeMemory }: PlanningDependencies,
  slot: Slot,
  request: DeployRequest,
): Promise<DeploymentPlan> {
  const model = await modelOf(models, request.model_id);
  if (model.adapter) {
    const base = model.adapter.base_model_id;
    throw refusal('model_id', `'${model.model_id}' is an adapter: deploy '${base}' with it in adapter_ids`);
  }
  if (model.task !== null && !takenTasks[slot].some((task) => task === model.task)) {
    throw refusal(
      'model_id',
      `'${model.model_id}' is a model for ${model.task}, which the ${slot} slot does not serve`,
    );
  }
  const adapters = await Promise.all(request.adapter_ids.map((id) => modelOf(models, id)));
  // No dtype and auto mean the same, so a change from one to the other must not reload the model.
  const dtype = request.dtype === 'auto' ? null : (request.dtype ?? null);
  const gpu = (await freeMemory()).gpu !== null;
  const chosen = chooseEngine(model, { dtype, adapters: adapters.length, gpu });
  if ('refusal' in chosen) {
    throw refusal(chosen.field, `'${model.model_id}' can't be deployed: ${chosen.refusal}`);
  }
  for (const adapter of adapters) {
    const problem =
      adapterProblem(model, adapter, chosen.engine) ??
      improvementProblem(adapter, request.min_improvement ?? null);
    if (problem) throw refusal('adapter_ids', problem);
  }
  const { adapter_ids, replicas } = request;
  return { slot, model, adapter_ids, engine: chosen.engine, dtype, replicas };
}

/** Whether a plan differs from what a slot serves in its adapters at most. */
export function hasSameBase(current: StoredDeployment, plan: DeploymentPlan): boolean {
  return (
    current.model_id === plan.model.model_id &&
    current.engine === plan.engine &&
    current.dtype === plan.dtype &&
    current.replicas === plan.replicas
  );
}

/** How each pod of a plan is started. Converts adapters if the engine needs it. */
export async function specsOf(
  models: DeployableModels,
  plan: DeploymentPlan,
  jobId: string,
): Promise<PodSpec[]> {
  const { slot, model, engine, dtype } = plan;
  const path = await models.pathFor(model.model_id, null);
  const adapters: PodSpec['adapters'] = [];
  for (const name of plan.adapter_ids) {
    adapters.push({ name, path: await models.pathFor(name, model.model_id) });
  }
  return Array.from({ length: plan.replicas }, (_, index) => ({
    // The same on every attempt of a job, so that a retry after a crash finds the pods of the first attempt.
    pod_id: `${slot}-${jobId.slice(0, 8)}-${index}`,
    engine,
    task: model.task ?? slotTasks[slot],
    model: path,
    model_name: model.model_id,
    served_model_name: model.model_id,
    adapters,
    ...(dtype === null ? {} : { dtype }),
  }));
}

async function modelOf(models: DeployableModels, id: string): Promise<DeployableModel> {
  const model = await models.find(id);
  if (!model) {
    const words = `model '${id}' was not found; add it first`;
    throw new NotFound('model', id, { code: 'model_not_found', words });
  }
  return model;
}

function improvementProblem(
  { model_id, adapter }: DeployableModel,
  wanted: number | null,
): string | undefined {
  if (wanted === null) return undefined;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const gain = adapter?.improvement ?? null;
  if (gain === null) return `the improvement of '${model_id}' on its base was never measured`;
  if (gain >= wanted) return undefined;
  return `'${model_id}' improves on its base by ${percent(gain)}, but ${percent(wanted)} is required`;
}

function refusal(field: string, msg: string): InvalidInput {
  const issue: InputIssue = { loc: ['body', field], msg, type: 'value_error' };
  return new InvalidInput([issue]);
}
