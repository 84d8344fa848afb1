import { z } from 'zod';
import { runFields } from './runs.ts';

export const CustomDataset = z
  .strictObject({
    question: z.array(z.string()).min(1),
    answers: z.array(z.string()).min(1),
  })
  .refine((data) => data.question.length === data.answers.length, {
    path: ['answers'],
    error: 'must have as many items as question',
  })
  .meta({ id: 'CustomDataset' });
export type CustomDataset = z.infer<typeof CustomDataset>;

export const Observability = z
  .strictObject({
    pod_id: z.string().min(1),
    dataset: z
      .string()
      .describe('Id of an uploaded data set, `org/name[:config][:split]`, or the name of a built-in one'),
    num_examples: z.int().min(1),
    custom_data: CustomDataset.nullable().describe('Used instead of `dataset` if it is not null'),
  })
  .refine((request) => request.custom_data !== null || request.dataset !== '', {
    path: ['dataset'],
    error: 'must not be empty if custom_data is null',
  })
  .meta({ id: 'Observability' });
export type Observability = z.infer<typeof Observability>;

const score = z.number().nullable();

/** A score is null if it could not be computed, for example without an embeddings pod or a judge model. */
export const ObservabilityMetrics = z
  .object({
    EXACT_MATCH: score,
    TOKEN_F1: score,
    ROUGE_L: score,
    CHRF: score,
    SEMANTIC_SIMILARITY: score,
    JUDGE_SCORE: score,
  })
  .meta({ id: 'ObservabilityMetrics' });
export type ObservabilityMetrics = z.infer<typeof ObservabilityMetrics>;

export const ObservabilityRun = z
  .object({
    ...runFields,
    experiment_name: z.string(),
    parameters: z.object({ dataset: z.string(), num_examples: z.int(), custom_data: z.boolean() }),
    metrics: ObservabilityMetrics.nullable().describe('Null until the run has ended'),
  })
  .meta({ id: 'ObservabilityRun' });
export type ObservabilityRun = z.infer<typeof ObservabilityRun>;
