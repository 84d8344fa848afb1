import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import flags from '../../bootstrap/server-flags.json' with { type: 'json' };
import { startServer, type Target } from './processes.ts';

const main = join(import.meta.dirname, '../../src/cli/main.ts');
const key = 'rh-0123456789012345678901234567890123456789';

interface RoundhouseOptions {
  name?: string;
  workers?: number;
  policy?: string;
  maxConnections?: number;
  /** The file for the log, which gets a line per request; in the data folder if absent. */
  log?: string;
}

/**
 * The dispatcher as shipped: with authentication, routing, metering, metrics and the access log. The peers write no
 * access log.
 */
export async function startRoundhouse(
  port: number,
  pods: readonly string[],
  options: RoundhouseOptions = {},
): Promise<Target> {
  const { name = 'roundhouse', workers = 1, policy = 'cache-aware' } = options;
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-bench-'));
  const target = await startServer(
    name,
    [process.execPath, ...flags, main, 'serve', '--only', 'dispatcher', '--port', String(port)],
    port,
    {
      cwd: folder,
      output: options.log ?? join(folder, 'log'),
      env: {
        ROUNDHOUSE_DATA_DIR: folder,
        ROUNDHOUSE_ADMIN_TOKEN: key,
        ROUNDHOUSE_AUTH_OPEN: 'false',
        ROUNDHOUSE_STARTER: 'false',
        ROUNDHOUSE_TELEMETRY_LOG_LEVEL: 'info',
        ROUNDHOUSE_TELEMETRY_LOG_FORMAT: 'json',
        ROUNDHOUSE_DISPATCHER_WORKERS: String(workers),
        ROUNDHOUSE_DISPATCHER_POLICY: policy,
      },
    },
  );
  const headers = { authorization: `Bearer ${key}` };
  const report = () =>
    Promise.all(
      pods.map((address, index) =>
        fetch(`${target.url}/pods-info/`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({
            pod_id: `pod-${index}`,
            task: 'llm',
            model_name: 'mock',
            pod_address: address,
            max_connections: options.maxConnections ?? null,
          }),
        }).then((response) => response.arrayBuffer()),
      ),
    );
  await report();
  const reporting = setInterval(() => report().catch(() => undefined), 5000);
  return {
    ...target,
    headers,
    async stop() {
      clearInterval(reporting);
      await target.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
