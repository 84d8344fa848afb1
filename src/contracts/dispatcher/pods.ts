import { z } from 'zod';
import { Timestamp } from '../fields.ts';

export const PodTask = z.enum(['llm', 'embeddings', 'rerank', 'tts', 'asr']).meta({ id: 'PodTask' });
export type PodTask = z.infer<typeof PodTask>;

/** Reports are kept in memory and in the database, so everything in them is bounded. */
const text = z.string().max(1024).nullish();
const measure = z.number().nullish();
const counter = z.int().nullable().default(0);
const gauge = z.number().nullable().default(0);
const flag = z.boolean().nullable().default(false);

/** Names are shown on terminals and in logs, where control characters would be carried out. */
const name = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not contain control characters' });

const podInfoFields = {
  pod_id: name(256).nullish(),
  engine: text,
  task: text,
  status: text,
  model_name: name(4096).nullish(),
  served_model_name: name(4096).nullish(),
  pod_address: z.string().max(2048).nullish().describe('Base URL of the pod, without `/v1`'),
  connections: z.int().nullish(),
  gpu_memory_utilization: measure,
  gpu_memory_used_mb: measure,
  gpu_utilization_pct: measure,
  cpu_utilization_pct: measure,
  ram_usage_gb: measure,
  requests_success_total: counter,
  requests_num_running: counter,
  requests_total_tokens: counter,
  requests_prompt_tokens: counter,
  requests_completion_tokens: counter,
  requests_latency_ms: gauge.describe('Mean of recent requests'),
  requests_payload_size: gauge.describe('Bytes, mean of recent requests'),
  time_per_output_token: gauge.describe('Milliseconds, mean of recent answers'),
  time_to_first_token: measure.describe('Milliseconds, mean of recent answers'),
  restarted: flag.describe('The process has restarted, and its counters with it'),
  dead: flag.describe('The process is exiting and accepts no more requests'),
  adapters: z.array(name(4096)).max(1000).nullish().describe('Names of the adapters that it serves'),
  kv_cache_usage: measure.describe('0 to 1'),
  max_connections: z.int().nullish(),
  version: text,
};

const pod_secret = z
  .string()
  .max(256)
  .regex(/^[!-~]+$/)
  .nullish()
  .describe('The key that requests to the pod must carry; never shown');

/** The names of the fields above. */
export const podInfoNames: ReadonlySet<string> = new Set([...Object.keys(podInfoFields), 'pod_secret']);

/** A pod's status report. Unknown fields are kept. */
export const PodInfo = z.looseObject({ ...podInfoFields, pod_secret }).meta({ id: 'PodInfo' });
export type PodInfo = z.infer<typeof PodInfo>;

/** Body of `POST /pods-info/`: a report, or null (or no body) to read all records. */
export const PodInfoOrNull = PodInfo.nullable();
export type PodInfoOrNull = z.infer<typeof PodInfoOrNull>;

/** A report as stored by the dispatcher. */
export const PodRecord = z
  .looseObject({
    ...podInfoFields,
    pod_id: z.string(),
    live: z.boolean().describe('Whether the dispatcher sends requests to it'),
    reported_at: Timestamp,
  })
  .meta({ id: 'PodRecord' });
export type PodRecord = z.infer<typeof PodRecord>;

/** Body of `POST /pods-info/reach/`: a pod that is about to join asks whether the dispatcher can reach it. */
export const PodAddress = z
  .strictObject({
    pod_id: name(256).min(1).describe('Expected as `pod_id` in the answer of `GET /health`'),
    pod_address: z
      .url({ protocol: /^https?$/, error: 'must be a URL such as http://10.0.0.7:8000' })
      .max(2048)
      // With a path of the caller's choice, this would be a way to call other servers of the network.
      .refine(isOrigin, {
        error: 'must have nothing but a host and a port, such as http://10.0.0.7:8000',
      }),
  })
  .meta({ id: 'PodAddress' });
export type PodAddress = z.infer<typeof PodAddress>;

export const PodReach = z
  .object({
    reachable: z.boolean(),
    reason: z.string().nullable().describe('Why not'),
  })
  .meta({ id: 'PodReach' });
export type PodReach = z.infer<typeof PodReach>;

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.pathname === '/' && !/[?#]/.test(text) && url.username === '' && url.password === '';
}
