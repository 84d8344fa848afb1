import { z } from 'zod';
import { AdapterIds, Dtype } from '../model-options.ts';
import { Job } from './jobs.ts';

/** Each holds one deployment. */
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
      .describe('Refuse adapters whose held-out loss is not lower than the base’s by this share'),
  })
  .meta({ id: 'DeployRequest' });
export type DeployRequest = z.infer<typeof DeployRequest>;

export const Deployment = z
  .object({
    model_id: z.string(),
    adapter_ids: z.array(z.string()),
    replicas: z.int().optional(),
    ready: z.int().optional().describe('Pods that answer now'),
    error: z.string().nullish().describe('Why a pod does not answer; never null while none does'),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

export const DeployStatus = z
  .object({ model_id: z.string(), adapter_ids: z.array(z.string()), job: Job })
  .meta({ id: 'DeployStatus' });
export type DeployStatus = z.infer<typeof DeployStatus>;
