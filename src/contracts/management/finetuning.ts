import { z } from 'zod';
import { Job } from './jobs.ts';

/** Omitted values are chosen by the size of the data set. */
export const Hyperparameters = z
  .strictObject({
    epochs: z.number().gt(0).max(1000),
    learning_rate: z.number().gt(0).max(1),
    rank: z.int().min(1).max(512),
    alpha: z.number().gt(0).max(4096),
    max_seq_len: z.int().min(16).max(1_048_576),
    batch_size: z.int().min(1).max(4096),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
  })
  .partial()
  .meta({ id: 'Hyperparameters' });
export type Hyperparameters = z.infer<typeof Hyperparameters>;

/** The trainer's own minimum. */
export const smallestTrainingSet = 4;
/** With fewer conversations none are held out, so adapter and base are not compared. */
export const smallestComparedSet = 10;

export const FinetuneRequest = z
  .strictObject({
    name: z
      .string()
      .max(96)
      .regex(
        /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u,
        'must consist of letters, digits, . _ and -, and start with a letter or digit',
      )
      .describe('Name of the adapter, for deployments and requests'),
    model_id: z.string().min(1),
    dataset_id: z.string().min(1),
    hyperparameters: Hyperparameters.optional(),
  })
  .meta({ id: 'FinetuneRequest' });
export type FinetuneRequest = z.infer<typeof FinetuneRequest>;

export const TrainingProgress = z
  .object({
    step: z.int().min(0),
    total: z.int().min(0),
    loss: z.number().nullable(),
    eval_loss: z.number().nullable(),
    tokens_per_second: z.number().nullable(),
    remaining_seconds: z.number().nullable(),
    epoch: z.number().nullish(),
    learning_rate: z.number().nullish(),
    retention_loss: z
      .number()
      .nullish()
      .describe('How far the adapter deviates from the base model on general text'),
  })
  .meta({ id: 'TrainingProgress' });
export type TrainingProgress = z.infer<typeof TrainingProgress>;

export const LossPoint = z
  .object({ step: z.int(), loss: z.number().nullable(), eval_loss: z.number().nullable() })
  .meta({ id: 'LossPoint' });
export type LossPoint = z.infer<typeof LossPoint>;

/** Scores of a model on the held-out conversations. */
const AnswerScores = z.object({ exact_match: z.number(), token_f1: z.number() });

/** Compares base model and adapter on held-out data and on general text. */
export const TrainingComparison = z
  .object({
    base_loss: z.number(),
    adapter_loss: z.number(),
    improvement: z
      .number()
      .optional()
      .describe('1 − adapter_loss / base_loss; compared with `min_improvement`'),
    base_general_loss: z.number().nullable(),
    adapter_general_loss: z.number().nullable(),
    base_answers: AnswerScores.nullish(),
    adapter_answers: AnswerScores.nullish(),
    examples: z
      .array(z.object({ prompt: z.string(), expected: z.string(), base: z.string(), adapter: z.string() }))
      .optional()
      .describe('Held-out prompts and the answers of both models'),
  })
  .meta({ id: 'TrainingComparison' });
export type TrainingComparison = z.infer<typeof TrainingComparison>;

export const FinetuneStatusQuery = z.object({
  job_id: z.string().optional().describe('Job of an earlier run. Default: the current or last run'),
});
export type FinetuneStatusQuery = z.infer<typeof FinetuneStatusQuery>;

export const FinetuneStatus = z
  .object({
    id: z.string(),
    name: z.string(),
    model_id: z.string(),
    dataset_id: z.string(),
    job: Job,
    hyperparameters: Hyperparameters.optional(),
    progress: TrainingProgress.nullish(),
    loss_curve: z.array(LossPoint).optional(),
    comparison: TrainingComparison.nullish(),
  })
  .meta({ id: 'FinetuneStatus' });
export type FinetuneStatus = z.infer<typeof FinetuneStatus>;
