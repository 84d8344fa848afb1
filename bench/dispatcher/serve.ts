// The dispatcher alone, with everything on, in front of the pods named on the command line: what the benchmarks measure.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/contracts/clock.ts';
import { createDispatcher } from '../../src/dispatcher/dispatcher-service.ts';
import { frontedServer } from '../../src/dispatcher/fronted-server.ts';
import { ensureAdminKey } from '../../src/platform/auth/admin-key.ts';
import { openKeyRing } from '../../src/platform/auth/key-ring.ts';
import { resolveConfig } from '../../src/platform/config/resolve-config.ts';
import { ConfigInput } from '../../src/platform/config/schema.ts';
import { openDatabase } from '../../src/platform/database/open-database.ts';
import { buildApp } from '../../src/platform/http/build-app.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { tracingOff } from '../../src/platform/telemetry/tracing.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    policy: { type: 'string', default: 'cache-aware' },
    workers: { type: 'string', default: '1' },
    key: { type: 'string' },
    model: { type: 'string', default: 'mock' },
    fastify: { type: 'boolean', default: false },
    'log-level': { type: 'string', default: 'warn' },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'roundhouse-bench-'));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));

const input = ConfigInput.parse({
  data_dir: dataDir,
  port: Number(values.port),
  admin_token: values.key,
  auth: { open: false },
  dispatcher: { policy: values.policy, workers: Number(values.workers) },
  telemetry: { log_level: values['log-level'] },
});
const { config } = resolveConfig(input, dataDir);
const logger = createLogger({ level: config.telemetry.log_level, format: 'json', name: 'bench' });
const database = await openDatabase({ url: config.database.url });
await ensureAdminKey({ database, clock: systemClock, dataDir, configured: config.admin_token });
const ring = await openKeyRing({ database, clock: systemClock, logger });
const metrics = createMetrics({ version: 'bench' });
const access = { authenticate: ring.authenticate, open: false };
const launcher = { start: refuse, stop: async () => undefined, get: () => undefined };
const { service, front, registry } = await createDispatcher({
  config,
  database,
  clock: systemClock,
  logger,
  metrics,
  tracing: tracingOff,
  access,
  launcher,
});
const { app } = await buildApp({
  services: [service],
  logger,
  metrics,
  access,
  programVersion: 'bench',
  http: config.http,
  ...(values.fastify ? {} : { serverFactory: (handler) => frontedServer(front, handler) }),
});

function report(): void {
  positionals.forEach((address, index) => {
    registry.report({
      pod_id: `pod-${index}`,
      task: 'llm',
      model_name: values.model,
      pod_address: address,
      requests_success_total: 0,
    } as Parameters<typeof registry.report>[0]);
  });
}
report();
setInterval(report, 5000);

async function refuse(): Promise<never> {
  throw new Error('there is no launcher in a benchmark');
}

const address = await app.listen({ host: '127.0.0.1', port: Number(values.port) });
process.stdout.write(`${JSON.stringify({ address, pid: process.pid })}\n`);
