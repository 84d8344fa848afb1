import { z } from 'zod';
import { byteSize, duration, secret, timedDuration } from './fields.ts';

const audit = z.strictObject({
  retention: duration()
    .default(400 * 86_400_000)
    .describe('How long audit log entries are kept. 0: forever.'),
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
    .describe('Where files are stored: file:<folder> (default <data_dir>/blobs) or s3://bucket/prefix.'),
  s3: z
    .strictObject({
      endpoint: z.url().optional().describe('Address of an S3-compatible server; empty for Amazon.'),
      region: z.string().default('us-east-1').describe('Region of the bucket.'),
      access_key_id: z
        .string()
        .optional()
        .describe("Access key; empty to use the AWS tools' environment variables."),
      secret_access_key: secret().optional().describe('Secret of the access key.'),
      force_path_style: z
        .boolean()
        .default(true)
        .describe('Put the bucket in the path, as most self-hosted servers require.'),
    })
    .prefault({}),
});

const database = z.strictObject({
  url: secret()
    .optional()
    .describe('sqlite:<file> (default <data_dir>/roundhouse.db) or postgres://user:password@host/name.'),
});

const http = z.strictObject({
  allowed_hosts: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Further names of this machine, without a port. While auth.open is true, requests for other names are refused.',
    ),
  body_limit: byteSize()
    .default(32 * 2 ** 20)
    .describe('Largest request body that is read into memory.'),
  bodies_limit: byteSize()
    .default(512 * 2 ** 20)
    .describe('Memory for the bodies of all inference requests together; beyond it they get 503.'),
  cors_origins: z
    .array(z.string())
    .default([])
    .describe(
      'Web origins whose pages may call the API from a browser, such as https://app.example. Empty: none.',
    ),
  drain_timeout: timedDuration()
    .default(30_000)
    .describe('How long running requests may continue after SIGTERM.'),
});

const telemetry = z.strictObject({
  access_log: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of successful inference requests that is logged; failures always are.'),
  log_format: z
    .enum(['auto', 'json', 'pretty'])
    .default('auto')
    .describe('auto: readable on a terminal, JSON elsewhere.'),
  log_level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
  metrics: z
    .enum(['public', 'key', 'off'])
    .optional()
    .describe(
      'Who can read /metrics: everybody, holders of an admin key, nobody. Default: public while open on a loopback address, else key.',
    ),
  otlp_endpoint: z
    .url()
    .optional()
    .meta({ variable: 'OTEL_EXPORTER_OTLP_ENDPOINT' })
    .describe('OpenTelemetry collector (OTEL_EXPORTER_OTLP_ENDPOINT). Empty: no traces are sent.'),
  otlp_headers: secret()
    .optional()
    .meta({ variable: 'OTEL_EXPORTER_OTLP_HEADERS' })
    .describe('Headers for the collector, as key=value,key=value (OTEL_EXPORTER_OTLP_HEADERS).'),
  trace_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("Share of new traces that is recorded; a caller's own sampling decision takes precedence."),
});

/** Settings that apply whichever parts run. The other sections belong to the rooms that read them. */
export const platformSettings = {
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port to listen on. Default: 5500, or 80 when only the chatbot runs; 0 picks a free port.'),
  data_dir: z
    .string()
    .min(1)
    .default('./data')
    .describe('Folder for everything that must survive a restart.'),
  machine: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Name of this platform among several on one database; it must stay the same across restarts. ' +
        'Default: the host name and the data folder.',
    ),
  admin_token: secret(8).optional().describe('The admin key. Default: generated on the first start.'),
  secret_key: secret(16)
    .optional()
    .describe(
      'Encrypts the passwords and tokens of sources that are stored. Default: generated, in <data_dir>/secret.key.',
    ),
  audit: audit.prefault({}),
  auth: auth.prefault({}),
  blobs: blobs.prefault({}),
  database: database.prefault({}),
  http: http.prefault({}),
  telemetry: telemetry.prefault({}),
};

const PlatformInput = z.strictObject(platformSettings);
export type PlatformInput = z.output<typeof PlatformInput>;
