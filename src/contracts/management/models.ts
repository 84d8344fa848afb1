import { z } from 'zod';
import { PodEngine } from '../dispatcher/pod-plan.ts';
import { PodTask } from '../dispatcher/pods.ts';
import { TextFlag, TextInteger } from '../fields.ts';

/** `org/name`, optionally with `@revision` and, for GGUF repositories, `:quantisation`. */
export const ModelId = z
  .string()
  .max(512)
  .regex(/^[^\s/\\@:]+(\/[^\s/\\@:]+)*(@[^\s\\@:]+)?(:[^\s/\\@:]+)?$/, {
    error: 'must look like org/name[@revision][:quantisation]',
    abort: true,
  })
  .refine((id) => !id.split(/[/@:]/).some((part) => /^\.+$/.test(part)), {
    error: 'must not contain . or .. as a name',
    abort: true,
  })
  .refine((id) => !/\p{Cc}/u.test(id), { error: 'must not contain control characters', abort: true });
export type ModelId = z.infer<typeof ModelId>;

/** Names on the hub are ASCII; models imported from a folder may have any name. */
const HubModelId = ModelId.refine(
  (id) => /^[\w.-]+(\/[\w.-]+)?([@:]|$)/.test(id),
  'must be a model id on the hub, such as org/name[@revision][:quantisation]',
);

/** The GGUF conversion of a model whose original format no local engine reads. */
export const ModelConversion = z
  .object({
    file: z
      .string()
      .nullable()
      .describe('The GGUF file in the folder of the model; null if the conversion failed'),
    quantization: z.string().nullable(),
    size_bytes: z.int().nullable(),
    memory_bytes: z.int().nullable().describe('Estimated memory for serving it'),
    error: z.string().nullable().describe('Why the conversion failed'),
  })
  .meta({ id: 'ModelConversion' });
export type ModelConversion = z.infer<typeof ModelConversion>;

/** Facts read from a model's files; null if the files don't contain them. */
export const ModelFacts = z
  .object({
    task: PodTask.nullable(),
    architecture: z.string().nullable(),
    parameters: z.int().nullable(),
    context_length: z.int().nullable(),
    quantization: z.string().nullable(),
    chat_template: z.boolean().nullable().describe('Whether the model has its own chat template'),
    license: z.string().nullable(),
    revision: z.string().nullable(),
    size_bytes: z.int().nullable(),
    memory_bytes: z.int().nullable().describe('Estimated memory for serving it'),
    engines: z.array(PodEngine).describe('Engines that can serve it on this platform'),
    reason: z.string().nullable().describe('Why no engine on this platform can serve it'),
    conversion: ModelConversion.describe(
      'Present if the model was converted for an engine on this platform, or the conversion failed',
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
    reason: z.string().nullable().describe('Why the model is not trainable'),
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
    'Accept weights that are available only as pickle files, which can run code when loaded',
  ),
});
export type AddModelQuery = z.infer<typeof AddModelQuery>;

export const RemoveModelQuery = z.object({
  with_adapters: TextFlag.describe('Also delete the adapters that were made for the model'),
});
export type RemoveModelQuery = z.infer<typeof RemoveModelQuery>;

export const SearchModelsQuery = z.object({
  query: z.string().min(1).max(200).describe('Words of the name, separated by spaces'),
  limit: TextInteger.pipe(z.int().min(1).max(100)).default(20).meta({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Maximum number of models of the hub. Default: 20',
  }),
});
export type SearchModelsQuery = z.infer<typeof SearchModelsQuery>;

export const FoundModel = z
  .object({
    model_id: z.string().describe('What to add'),
    source: z.enum(['catalog', 'hub']),
    task: PodTask.nullable(),
    present: z.boolean().describe('Whether the model is on this machine'),
    size_bytes: z.int().nullable(),
    license: z.string().nullable(),
    formats: z.array(z.string()).describe('Formats of the weights: gguf, safetensors, onnx'),
    downloads: z.int().nullable().describe('In the last month, as the hub counts them'),
    gated: z.boolean().describe('Whether its licence must be accepted on the hub first'),
    note: z.string().nullable(),
  })
  .meta({ id: 'FoundModel' });
export type FoundModel = z.infer<typeof FoundModel>;

export const FoundModels = z
  .object({
    models: z.array(FoundModel).describe('Models of the catalog, then those of the hub by downloads'),
    hub_error: z.string().nullable().describe('Why the hub could not be searched'),
  })
  .meta({ id: 'FoundModels' });
export type FoundModels = z.infer<typeof FoundModels>;

export const ImportModelRequest = z
  .strictObject({
    model_id: ModelId,
    folder: z.string().regex(/^\//, 'must be an absolute path'),
  })
  .meta({ id: 'ImportModelRequest' });
export type ImportModelRequest = z.infer<typeof ImportModelRequest>;
