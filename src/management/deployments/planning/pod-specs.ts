import type { PodSpec } from '../records/pod-spec.ts';
import type { DeployableModels } from './deployable-models.ts';
import type { DeploymentPlan } from './plan-deployment.ts';
import { defaultTask } from './slot-tasks.ts';

/**
 * How each pod of a plan is started. Converts adapters if the engine needs it. `placement`: the GPUs of each pod.
 */
export async function specsOf(
  models: DeployableModels,
  plan: DeploymentPlan,
  jobId: string,
  placement?: readonly (readonly number[])[],
): Promise<PodSpec[]> {
  const { slot, model, engine, dtype, options } = plan;
  const path = await models.pathFor(model.model_id, null);
  const adapters: PodSpec['adapters'] = [];
  for (const name of plan.adapter_ids) {
    adapters.push({ name, path: await models.pathFor(name, model.model_id) });
  }
  const { gpus: _gpus, tensor_parallel, ...rest } = options;
  return Array.from({ length: plan.replicas }, (_, index) => {
    const own = placement?.[index];
    const together = own && engine === 'vllm' ? own.length : tensor_parallel;
    return {
      // The same on every attempt of a job, so that a retry after a crash finds the pods of the first attempt.
      pod_id: `${slot}-${jobId.slice(0, 8)}-${index}`,
      engine,
      task: model.task ?? defaultTask(slot),
      model: path,
      model_name: model.model_id,
      served_model_name: model.model_id,
      adapters,
      ...(dtype === null ? {} : { dtype }),
      ...rest,
      ...(together !== undefined && together > 1 ? { tensor_parallel: together } : {}),
      ...(own ? { gpu_id: own.join(',') } : {}),
    };
  });
}
