import { z } from 'zod';
import { PodEngine } from '../dispatcher/pod-plan.ts';
import { PodTask } from '../dispatcher/pods.ts';
import { TextFlag } from '../fields.ts';

/** `org/name`, with `@revision` and, for GGUF repositories, `:quantisation` where given. */
export const ModelId = z
  .string()
  .max(512)
  .regex(/^[^\s/\\@:]+(\/[^\s/\\@:]+)*(@[^\s\\@:]+)?(:[^\s/\\@:]+)?$/, {
    error: 'must look like org/name[@revision][:quantisation]',
    abort: true,
  })
  .refine((id) => !id.split(/[/@:]/).some((part) => /^\.+$/.test(part)), {
    error: 'must not hold . or .. as a name',
    abort: true,
  });
export type ModelId = z.infer<typeof ModelId>;

/** The hub's names are of plain letters; a model from a folder may have any. */
const HubModelId = ModelId.refine(
  (id) => /^[\w.-]+(\/[\w.-]+)?([@:]|$)/.test(id),
  'must look like org/name[@revision][:quantisation], as the hub names it',
);

/** What was made of a model that no engine here reads as it came. */
export const ModelConversion = z
  .object({
    file: z
      .string()
      .nullable()
      .describe('The GGUF, in the folder of the model; null where none could be made'),
    quantization: z.string().nullable(),
    size_bytes: z.int().nullable(),
    memory_bytes: z.int().nullable().describe('An estimate of what serving it needs'),
    error: z.string().nullable().describe('Why none could be made'),
  })
  .meta({ id: 'ModelConversion' });
export type ModelConversion = z.infer<typeof ModelConversion>;

/** What a model's own files say of it; null where they don't. */
export const ModelFacts = z
  .object({
    task: PodTask.nullable(),
    architecture: z.string().nullable(),
    parameters: z.int().nullable(),
    context_length: z.int().nullable(),
    quantization: z.string().nullable(),
    chat_template: z.boolean().nullable().describe('Whether it has one of its own'),
    license: z.string().nullable(),
    revision: z.string().nullable(),
    size_bytes: z.int().nullable(),
    memory_bytes: z.int().nullable().describe('An estimate of what serving it needs'),
    engines: z.array(PodEngine).describe('Those that can serve it here'),
    reason: z.string().nullable().describe('Why no engine here can serve it'),
    conversion: ModelConversion.describe(
      'There where the model was converted for an engine here, or should have been',
    ),
  })
  .partial()
  .meta({ id: 'ModelFacts' });
export type ModelFacts = z.infer<typeof ModelFacts>;

const modelEntryFields = {
  model_id: z.string(),
  adapter: z.boolean(),
  base_model_id: z.string().nullable(),
  facts: ModelFacts.optional(),
};

export const ModelEntry = z.object(modelEntryFields).meta({ id: 'ModelEntry' });
export type ModelEntry = z.infer<typeof ModelEntry>;

/** A model as `GET /v1/finetune/models/` lists it. */
export const TrainableModel = z
  .object({
    ...modelEntryFields,
    trainable: z.boolean(),
    reason: z.string().nullable().describe('Why it is not'),
  })
  .meta({ id: 'TrainableModel' });
export type TrainableModel = z.infer<typeof TrainableModel>;

export const TrainableModelsQuery = z.object({
  all: TextFlag.describe('Also list the models that can not be trained, with the reason'),
});
export type TrainableModelsQuery = z.infer<typeof TrainableModelsQuery>;

export const AddModelQuery = z.object({
  model_id: HubModelId,
  allow_pickle: TextFlag.describe(
    'Take weights that are there only as pickle files, which can run code when loaded',
  ),
});
export type AddModelQuery = z.infer<typeof AddModelQuery>;

export const ImportModelRequest = z
  .strictObject({
    model_id: ModelId,
    folder: z.string().regex(/^\//, 'must be an absolute path'),
  })
  .meta({ id: 'ImportModelRequest' });
export type ImportModelRequest = z.infer<typeof ImportModelRequest>;
