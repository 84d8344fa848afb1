import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../contracts/clock.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import { shapeFinder } from '../../platform/http/errors/error-handling.ts';
import { Forwarder } from '../../platform/http/forwarding/forwarder.ts';
import { startLogging, startTraces } from '../../platform/telemetry/start-telemetry.ts';
import { AccessLog } from '../accounting/access-log.ts';
import { Meters } from '../accounting/meters.ts';
import { observer } from '../accounting/observer.ts';
import { UsageLedger } from '../accounting/usage-ledger.ts';
import { createProxy, proxySettings } from '../calls/create-proxy.ts';
import { createFront } from '../calls/front.ts';
import { KeyCounts } from '../calls/key-counts.ts';
import { LimitTable } from '../calls/limit-table.ts';
import type { Surface } from '../calls/surface.ts';
import { frontedServer } from '../fronted-server.ts';
import { PodRegistry } from '../pods/registry.ts';
import { Occupancy } from '../routing/occupancy.ts';
import { PrefixIndex } from '../routing/prefix-index.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { Questions, RemoteGate } from './remote-gate.ts';

const reportEvery = 1000;
/** Workers don't tell each other when a pod has room again, so queued requests look for it this often. */
const lookEvery = 20;

const start = workerData as WorkerStart;
const { config } = start;
const { workers } = config.dispatcher;
/** One column per worker, and one for the main thread. */
const columns = workers + 1;
const send = (message: FromWorker) => parentPort?.postMessage(message);
const logger = startLogging(config.telemetry, `worker ${start.index}`);
const tracing = await startTraces(config.telemetry, logger);

const registry = new PodRegistry({
  ttl: config.pods.ttl,
  clock: systemClock,
  occupancy: new Occupancy(columns, start.index, start.occupancy),
});
const table = new LimitTable(
  new KeyCounts(start.keyCounts),
  new Occupancy(columns, start.index, start.keysRunning),
);
const questions = new Questions(send, table);
const meters = new Meters();
const ledger = new UsageLedger();
const log = logger.isLevelEnabled('info') ? AccessLog.to(process.stdout, config.telemetry) : undefined;
const proxy = createProxy({
  config: { ...config, queue: { ...config.queue, size: Math.ceil(config.queue.size / workers) } },
  settings: proxySettings(config, start.spoolDir),
  registry,
  prefixes: new PrefixIndex(start.prefixes),
  clock: systemClock,
  logger,
  tracing,
  observe: observer(meters, ledger, log),
});
const front = createFront(proxy);
const surfaces = new Map<string, Surface>();
let shapeOf = shapeFinder([]);
const main = new Forwarder({ target: { path: start.inner }, name: 'the platform' });
const server: Server = frontedServer(front, (request, response) => {
  const path = request.url ?? '/';
  main.forward(request, response, path, shapeOf(path));
});

for (const surface of start.surfaces) setSurface(surface);
for (const pod of start.pods) registry.mirror(pod);

parentPort?.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'pod':
      return registry.mirror(message.pod);
    case 'forget':
      return registry.forget(message.podId);
    case 'surface':
      return setSurface(message.surface);
    case 'caller':
    case 'refused':
      return questions.answered(message);
    case 'close':
      return close();
  }
});

function setSurface({ prefix, aliases, only, ...rest }: InferenceSurface): void {
  const known = surfaces.get(prefix);
  if (known) return void Object.assign(known, { aliases, only });
  const gate = new RemoteGate(prefix, questions, table, systemClock);
  const surface = { prefix, aliases, only, ...rest, gate };
  surfaces.set(prefix, surface);
  front.add(surface);
  shapeOf = shapeFinder([...surfaces.values()]);
}

setInterval(report, reportEvery).unref();
setInterval(() => {
  if (proxy.scheduler.waiting === 0) return;
  for (const route of registry.models().routes()) if (route.waiting.size > 0) proxy.scheduler.settle(route);
}, lookEvery).unref();
setInterval(() => registry.decay(), reportEvery).unref();

server.on('error', (error: NodeJS.ErrnoException) => {
  send({ kind: 'failed', code: error.code ?? '', message: error.message });
});
server.listen({ host: start.host, port: start.port, reusePort: true }, () => {
  send({ kind: 'listening', port: (server.address() as AddressInfo).port });
});

function report(): void {
  const [models, usage] = [meters.take(), ledger.take()];
  if (models.length > 0 || usage.length > 0) send({ kind: 'counted', models, usage });
}

function close(): void {
  const force = setTimeout(() => server.closeAllConnections(), config.http.drain_timeout);
  server.close(async () => {
    clearTimeout(force);
    report();
    log?.flush();
    proxy.close();
    main.close();
    await tracing.close();
    parentPort?.close();
  });
  server.closeIdleConnections();
}
