import { z } from 'zod';
import { runFields } from './runs.ts';

const count = z.int().min(1);

export const ReportMode = z.enum(['pdf', 'md', 'csv']);
export type ReportMode = z.infer<typeof ReportMode>;

export const PerformancePayload = z
  .strictObject({
    report_mode: ReportMode.default('pdf'),
    num_tasks: count.max(1_000_000).default(100),
    num_runners: count.max(10_000).default(10),
    generate_prompts: z.boolean().default(true),
    num_prompts: count.max(100_000).default(10),
    prompt_length: count.max(1_000_000).default(200).describe('Tokens per prompt'),
    max_tokens: count.max(1_000_000).default(100).describe('Maximum number of tokens per answer'),
    report_file: z
      .string()
      .max(128)
      .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u, 'must be a file name without a folder')
      .optional(),
    experiment_name: z.string().min(1).max(256).optional(),
  })
  .meta({ id: 'PerformancePayload' });
export type PerformancePayload = z.infer<typeof PerformancePayload>;

export const Performance = z
  .strictObject({ pod_id: z.string().min(1), payload: PerformancePayload })
  .meta({ id: 'Performance' });
export type Performance = z.infer<typeof Performance>;

const metricNames = [
  'TTFT',
  'TTFT_50',
  'TTFT_90',
  'TTFT_95',
  'TTFT_99',
  'TOP_5_TTFT',
  'LATENCY',
  'LATENCY_50',
  'LATENCY_90',
  'LATENCY_95',
  'LATENCY_99',
  'TOP_5_LATENCY',
  'TPOT',
  'TPOT_DECODE',
  'ITL',
  'ITL_50',
  'ITL_90',
  'ITL_99',
  'THROUGHPUT',
  'THROUGHPUT_INPUT_TOKENS',
  'THROUGHPUT_OUTPUT_TOKENS',
  'RPS',
  'GOODPUT',
  'LONGER_THAN_60_LATENCY',
  'LONGER_THAN_120_LATENCY',
  'LONGER_THAN_180_LATENCY',
  'FAILED_REQUESTS',
  'FAILED_REQUESTS_PER_HOUR',
] as const;

/** A metric is null if the run has no data for it, such as TTFT if every request failed. */
export const PerformanceMetrics = z
  .record(z.enum(metricNames), z.number().nullable())
  .meta({ id: 'PerformanceMetrics' });
export type PerformanceMetrics = z.infer<typeof PerformanceMetrics>;

export const PerformanceRun = z
  .object({
    ...runFields,
    experiment_name: z.string(),
    parameters: PerformancePayload,
    metrics: PerformanceMetrics.nullable().describe('Null until the run has ended'),
  })
  .meta({ id: 'PerformanceRun' });
export type PerformanceRun = z.infer<typeof PerformanceRun>;
