import { z } from 'zod';
import { PodEngine } from '../dispatcher/pod-plan.ts';
import { engineOptionFields } from '../engine-options.ts';
import { AdapterIds, Dtype } from '../model-options.ts';
import { Job } from './jobs.ts';

/** The slots that always exist. */
export const fixedSlots = ['chat', 'embeddings', 'rerank'] as const;
export type FixedSlot = (typeof fixedSlots)[number];

export const isFixedSlot = (name: string): name is FixedSlot =>
  (fixedSlots as readonly string[]).includes(name);

/** Names below `/api` that mean something else, now or in other versions of the API. */
const reserved = /^(?:v\d+|docs|openapi|slots|inference|hosted|console|static|health|metrics)$/;

/** The name of a slot. Each slot holds one deployment. */
export const Slot = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,30}$/,
    'must start with a letter and contain at most 31 lower-case letters, digits and hyphens',
  )
  .refine((name) => !reserved.test(name), { error: 'is the name of another path' })
  .meta({ id: 'Slot', examples: ['chat', 'code'] });
export type Slot = z.infer<typeof Slot>;

/** Accepts any text: most routes answer 404 for a slot that does not exist, whatever its name. */
export const SlotPath = z.object({ slot: z.string() });
export type SlotPath = z.infer<typeof SlotPath>;

export const DeployRequest = z
  .strictObject({
    model_id: z.string().min(1),
    adapter_ids: AdapterIds,
    engine: PodEngine.nullish().describe('Default: the best one on this machine'),
    dtype: Dtype.nullish(),
    replicas: z.int().min(1).max(64).default(1).describe('Number of pods'),
    ...engineOptionFields,
    replace: z
      .boolean()
      .nullish()
      .describe(
        'Stop the current deployment before the new one starts, for machines that can’t hold both; it is started again if the new one fails',
      ),
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
    slot: z.string().optional(),
    engine: z.string().optional(),
    dtype: z.string().nullish(),
    replicas: z.int().optional(),
    ...engineOptionFields,
    ready: z.int().optional().describe('Number of pods that are ready'),
    error: z.string().nullish().describe('Why a pod is not ready; never null while none is'),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

export const DeployStatus = z
  .object({ model_id: z.string(), adapter_ids: z.array(z.string()), job: Job })
  .meta({ id: 'DeployStatus' });
export type DeployStatus = z.infer<typeof DeployStatus>;

/** A slot and what it serves, as `GET /api/v1/slots/` lists them. */
export const SlotEntry = z
  .object({
    slot: Slot,
    path: z.string().describe('Below which its API is served, such as /api/code/v1'),
    deployment: Deployment.nullable(),
    job: Job.nullable().describe('Its last deployment job'),
  })
  .meta({ id: 'SlotEntry' });
export type SlotEntry = z.infer<typeof SlotEntry>;
