import { z } from 'zod';
import { Hyperparameters } from '../../../contracts/management/finetuning.ts';

// The trainer writes one JSON object per line to standard output. Only the fields that are needed are read.

const figure = z.number().nullable().catch(null);

const Scores = z.object({ loss: z.number(), exact_match: figure, token_f1: figure });

export const TrainingResult = z.object({
  hyperparameters: Hyperparameters.optional().catch(undefined),
  stopped_early: z.boolean().optional(),
  held_out: z
    .object({
      base: Scores,
      adapter: Scores,
      improvement: z.number(),
      examples: z
        .array(z.object({ prompt: z.string(), expected: z.string(), base: z.string(), adapter: z.string() }))
        .catch([]),
    })
    .nullish(),
  retention: z.object({ base_loss: figure, adapter_loss: figure }).nullish(),
  gguf: z.object({ file: z.string().optional(), reason: z.string().optional() }).nullish(),
});
export type TrainingResult = z.infer<typeof TrainingResult>;

export const Inspection = z.object({
  conversations: z.int(),
  tokens: z.object({ total: z.int(), min: z.int(), median: z.int(), p95: z.int(), max: z.int() }),
});
export type Inspection = z.infer<typeof Inspection>;

const TrainerLine = z.discriminatedUnion('event', [
  z.object({ event: z.literal('stage'), stage: z.string(), message: z.string() }),
  z.object({
    event: z.literal('plan'),
    hyperparameters: Hyperparameters,
    steps: z.int(),
    resumed_from: z.int().nullish(),
  }),
  z.object({
    event: z.literal('progress'),
    step: z.int(),
    total: z.int(),
    epoch: figure,
    loss: figure,
    eval_loss: figure,
    retention_loss: figure,
    learning_rate: figure,
    tokens_per_second: figure,
    remaining_seconds: figure,
  }),
  z.object({ event: z.literal('checkpoint'), step: z.int() }),
  z.object({ event: z.literal('result'), ...TrainingResult.shape }),
  z.object({ event: z.literal('interrupted'), step: z.int().nullish() }),
  z.object({ event: z.literal('error'), code: z.string(), message: z.string() }),
  z.object({ event: z.literal('environment'), python: z.string(), made: z.boolean().optional() }),
  z.object({ event: z.literal('inspection'), ...Inspection.shape }),
]);
export type TrainerLine = z.infer<typeof TrainerLine>;

/** Undefined for other output, such as what a library prints. */
export function readTrainerLine(line: string): TrainerLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return TrainerLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
