import { z } from 'zod';
import { engineOptionFields } from '../engine-options.ts';
import { TextInteger } from '../fields.ts';
import { AdapterIds, Dtype } from '../model-options.ts';
import { PodTask } from './pods.ts';

export const PodEngine = z
  .enum(['llamacpp', 'onnx', 'vllm', 'llama-server', 'openai'])
  .meta({ id: 'PodEngine' });
export type PodEngine = z.infer<typeof PodEngine>;

/** One entry of `pods.yaml`. */
export const PodPlan = z
  .strictObject({
    engine: PodEngine,
    task: PodTask,
    model_name: z.string().min(1),
    served_model_name: z.string().min(1).optional(),
    adapter_ids: AdapterIds,
    gpu_id: z
      .union([z.int().min(0), z.string().regex(/^\d+(,\d+)*$/)], {
        error: 'must be the index of a GPU, or several separated by commas',
      })
      .optional()
      .describe('Another spelling of `gpus`'),
    quantization: z.string().min(1).optional(),
    dtype: Dtype.optional(),
    ...engineOptionFields,
    replicas: z.int().min(1).max(1000).default(1),
  })
  .meta({ id: 'PodPlan' });
export type PodPlan = z.infer<typeof PodPlan>;

/** `pods.yaml`: a list under `pods:`, or only the list. */
export const PodsFile = z.preprocess(
  (value) => (Array.isArray(value) ? { pods: value } : (value ?? { pods: [] })),
  z.strictObject({ pods: z.array(PodPlan) }),
);
export type PodsFile = z.infer<typeof PodsFile>;

export const PlannedPod = z
  .object({
    id: z.int().min(0),
    pod_id: z.string(),
    engine: PodEngine,
    task: PodTask,
    model_name: z.string(),
    served_model_name: z.string(),
    status: z.enum(['created', 'starting', 'running', 'stopping', 'stopped', 'failed']),
    error: z.string().nullish(),
  })
  .meta({ id: 'PlannedPod' });
export type PlannedPod = z.infer<typeof PlannedPod>;

/** Response of `/create-pods/` and `/deploy-pods/`. */
export const PlannedPods = z.object({ pods: z.array(PlannedPod) }).meta({ id: 'PlannedPods' });
export type PlannedPods = z.infer<typeof PlannedPods>;

export const DeployPodsQuery = z.object({ id: TextInteger.optional() });
export type DeployPodsQuery = z.infer<typeof DeployPodsQuery>;
