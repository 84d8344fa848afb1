import { z } from 'zod';
import { byteSize, duration, timedDuration } from '../platform/config/fields.ts';
import { circlesIn } from '../platform/inference/aliases.ts';

const name = z.string().min(1).max(4096);

/** Refused at the start: a request for such a name could never be answered. */
const aliases = z.record(name, name).superRefine((written, context) => {
  for (const circle of circlesIn(written)) {
    context.addIssue({ code: 'custom', message: `an alias must lead to a served model, but ${circle}` });
  }
});

const dispatcher = z.strictObject({
  aliases: aliases
    .default({})
    .describe(
      "Other names for served models, so that names built into clients work: {gpt-4o-mini: <served name>}. As a variable: 'gpt-4o-mini=<served name>', separated by commas.",
    ),
  attempts: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe('Number of pods that are tried before a request fails.'),
  breaker: z
    .strictObject({
      cooldown: timedDuration().default(5000).describe('First pause for a pod that keeps failing.'),
      failures: z.int().min(1).default(3).describe('Consecutive failures after which a pod is paused.'),
    })
    .prefault({}),
  caller_timeout: timedDuration()
    .default(300_000)
    .describe('How long a caller may stop reading its answer before it is disconnected. 0: no limit.'),
  connect_timeout: timedDuration().default(3000).describe('How long a pod may take to accept a connection.'),
  first_byte_timeout: timedDuration()
    .default(600_000)
    .describe(
      'How long a pod may take to begin its response. A response that is not streamed begins when it is complete.',
    ),
  form_buffer: byteSize()
    .default(2 ** 20)
    .describe(
      'Part of an upload that is held in memory while its model is determined; the rest goes to a file.',
    ),
  form_limit: byteSize()
    .default(2 ** 30)
    .describe('Largest upload that is passed to a pod.'),
  idle_timeout: timedDuration()
    .default(300_000)
    .describe('How long a pod may send nothing in the middle of a response.'),
  policy: z
    .enum(['cache-aware', 'least-load', 'round-robin'])
    .default('cache-aware')
    .describe('How the pod for a request is chosen.'),
  prefix_entries: z
    .int()
    .min(1024)
    .max(2 ** 24)
    .default(2 ** 18)
    .describe(
      'Number of prompt blocks that are remembered to find the pod that has cached them; 28 bytes each.',
    ),
  request_timeout: timedDuration()
    .default(0)
    .describe('Time limit for a whole request, unless x-request-timeout sets one. 0: none.'),
  url: z
    .url()
    .default('http://127.0.0.1:5500')
    .describe('Address of the dispatcher, for processes that run without it.'),
  weights: z
    .strictObject({
      adapter: z.number().min(0).default(0.5).describe('Weight of adapter residency.'),
      load: z.number().min(0).default(1).describe("Weight of a pod's load."),
      prefix: z.number().min(0).default(1).describe('Weight of prompt-cache affinity.'),
    })
    .prefault({}),
  workers: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Number of threads that serve the inference endpoints on one port.'),
});

const pods = z.strictObject({
  file: z.string().default('./pods.yaml').describe('The list of pods that /create-pods/ reads.'),
  retention: duration()
    .default(86_400_000)
    .describe('How long the record of a pod that stopped reporting is kept.'),
  ttl: timedDuration()
    .default(30_000)
    .describe('How long after its last report a pod still receives requests.'),
});

const queue = z.strictObject({
  size: z.int().min(0).default(1000).describe('Number of requests that may wait while all pods are busy.'),
  timeout: timedDuration()
    .default(30_000)
    .describe('How long a request waits for a pod before it is rejected.'),
});

export const dispatcherSettings = {
  dispatcher: dispatcher.prefault({}),
  pods: pods.prefault({}),
  queue: queue.prefault({}),
};

const DispatcherSettings = z.object(dispatcherSettings);
export type DispatcherSettings = z.output<typeof DispatcherSettings>;
