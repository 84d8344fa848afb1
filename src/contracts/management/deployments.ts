import { z } from 'zod';
import { AdapterIds, Dtype } from '../model-options.ts';
import { Job } from './jobs.ts';

/** Each slot holds one deployment. */
export const Slot = z.enum(['chat', 'embeddings', 'rerank']).meta({ id: 'Slot' });
export type Slot = z.infer<typeof Slot>;

export const DeployRequest = z
  .strictObject({
    model_id: z.string().min(1),
    adapter_ids: AdapterIds,
    dtype: Dtype.nullish(),
    replicas: z.int().min(1).max(64).default(1),
    min_improvement: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe(
        'Reject adapters whose held-out loss is not lower than the base model’s by at least this share',
      ),
  })
  .meta({ id: 'DeployRequest' });
export type DeployRequest = z.infer<typeof DeployRequest>;

export const Deployment = z
  .object({
    model_id: z.string(),
    adapter_ids: z.array(z.string()),
    replicas: z.int().optional(),
    ready: z.int().optional().describe('Number of pods that are ready'),
    error: z.string().nullish().describe('Why a pod is not ready; never null while none is'),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

export const DeployStatus = z
  .object({ model_id: z.string(), adapter_ids: z.array(z.string()), job: Job })
  .meta({ id: 'DeployStatus' });
export type DeployStatus = z.infer<typeof DeployStatus>;
