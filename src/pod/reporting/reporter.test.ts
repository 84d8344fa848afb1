import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../test/testkit/until.ts';
import type { PodInfo } from '../../contracts/dispatcher/pods.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { Reporter } from './reporter.ts';

describe('Reporter', () => {
  let server: Server;
  let reports: PodInfo[];
  let keys: (string | undefined)[];
  let status: number;
  let port = 0;
  let reporter: Reporter;

  beforeEach(async () => {
    reports = [];
    keys = [];
    status = 200;
    await listen(0);
  });
  afterEach(async () => {
    await reporter.dead('the test is over');
    await close();
  });

  async function listen(at: number) {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (request.url === '/pods-info/' && status === 200) reports.push(JSON.parse(body));
      keys.push(request.headers.authorization);
      response.writeHead(status).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }
  function close() {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  }
  let counter = 0;
  const start = (interval: number, key?: string) => {
    counter = 0;
    reporter = new Reporter({
      dispatcher: `http://127.0.0.1:${port}/`,
      key,
      interval,
      logger: silentLogger(),
      report: async () => ({ pod_id: 'p', requests_success_total: ++counter }),
    });
    reporter.changed();
    return reporter;
  };

  test('reports at intervals; only the first report after a start says that it restarted', async () => {
    start(10, 'rh-key');
    await until('three reports', () => reports.length >= 3);
    expect(reports.map((report) => report.restarted).slice(0, 3)).toEqual([true, false, false]);
    expect(reports[0]).toMatchObject({ pod_id: 'p', dead: false });
    expect(keys[0]).toBe('Bearer rh-key');
  });

  test('a change is reported at once, and a change during a report right after it', async () => {
    start(1_000_000);
    await until('the first', () => reports.length === 1);
    reporter.changed();
    await until('the change', () => reports.length >= 2);
    // One of the two falls into the report of the other.
    reporter.changed();
    reporter.changed();
    const before = counter;
    await until('what changed during a report', () =>
      reports.some((report) => report.requests_success_total === before + 1),
    );
  });

  test('retries while the dispatcher is unavailable or rejects reports, and then reports a restart', async () => {
    await close();
    start(10);
    await until('some attempts', () => counter >= 2);
    status = 503;
    await listen(port);
    await until('a refusal', () => keys.length >= 1);
    status = 200;
    await until('a report', () => reports.length >= 2);
    expect(reports[0]?.restarted).toBe(true);
    expect(reports[1]?.restarted).toBe(false);
  });

  test('the last report says that it is dead, and why', async () => {
    start(10);
    await until('the first', () => reports.length >= 1);
    await reporter.dead('out of memory');
    expect(reports.at(-1)).toMatchObject({ dead: true, status: 'dead', reason: 'out of memory' });
    const count = reports.length;
    reporter.changed();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reports).toHaveLength(count);
  });
});
