import { z } from 'zod';

const hasControlCharacters = /\p{Cc}/u;

/** Options of the engine behind a pod, the same in deploy requests, in `pods.yaml` and on the command line. */
export const engineOptionFields = {
  max_model_len: z
    .int()
    .min(1)
    .max(100_000_000)
    .nullish()
    .describe('Maximum number of tokens of prompt and answer together'),
  gpu_memory_utilization: z
    .number()
    .gt(0)
    .max(1)
    .nullish()
    .describe('Share of the memory of each GPU that a pod may use'),
  gpus: z
    .array(z.int().min(0).max(1023))
    .min(1)
    .max(64)
    .refine((ids) => new Set(ids).size === ids.length, 'must not contain a GPU twice')
    .nullish()
    .describe('Indexes of the GPUs to use, as nvidia-smi shows them; several pods divide them'),
  tensor_parallel: z
    .int()
    .min(1)
    .max(64)
    .nullish()
    .describe('Number of GPUs per pod. Default: all of its GPUs'),
  extra_arguments: z
    .array(
      z
        .string()
        .min(1)
        .max(4096)
        .refine((text) => !hasControlCharacters.test(text), 'must not contain control characters'),
    )
    .max(64)
    .nullish()
    .describe('Additional arguments for an engine that is a program (vllm, llama-server)'),
};

const EngineOptions = z.object(engineOptionFields);

/** The options that were given. */
export type EngineOptions = {
  [Name in keyof z.infer<typeof EngineOptions>]?: NonNullable<z.infer<typeof EngineOptions>[Name]>;
};

export const optionNames = Object.keys(engineOptionFields) as (keyof EngineOptions)[];

/** Only the options, without those that are null or empty, so that two requests can be compared. */
export function optionsOf(given: z.infer<typeof EngineOptions>): EngineOptions {
  const isSet = (value: unknown) =>
    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    optionNames.flatMap((name) => (isSet(given[name]) ? [[name, given[name]]] : [])),
  ) as EngineOptions;
}
