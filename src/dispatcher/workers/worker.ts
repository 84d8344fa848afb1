import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicClock, systemClock } from '../../contracts/clock.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import { shapeFinder } from '../../platform/http/errors/error-handling.ts';
import { Forwarder } from '../../platform/http/forwarding/forwarder.ts';
import { KeyLimits } from '../../platform/metering/key-limits.ts';
import { joinLimits } from '../../platform/metering/memory/limit-memory.ts';
import { UsageLedger } from '../../platform/metering/usage/usage-ledger.ts';
import { startLogging, startTraces } from '../../platform/telemetry/start-telemetry.ts';
import { startObserving } from '../accounting/start-observing.ts';
import type { Surface } from '../calls/admission/surface.ts';
import { createProxy, proxySettings } from '../calls/create-proxy.ts';
import { createFront } from '../calls/front.ts';
import { frontedServer } from '../fronted-server.ts';
import { PodRegistry } from '../pods/registry.ts';
import { Occupancy } from '../routing/occupancy.ts';
import { PrefixIndex } from '../routing/prefix-index.ts';
import { InnerSocket } from './inner-socket.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { RemoteBank } from './remote-bank.ts';
import { Questions, RemoteGate } from './remote-gate.ts';

const reportInterval = 1000;
/**
 * Workers don't notify each other when a pod has free capacity, so each retries its queued requests at this interval.
 */
const retryInterval = 20;

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
const memory = joinLimits(start.limits, start.index);
const bank = start.limits.leased ? new RemoteBank(send) : undefined;
const limits = new KeyLimits(memory, systemClock, bank);
const questions = new Questions(send, memory.rows);
const observing = startObserving({ logger, telemetry: config.telemetry, usage: new UsageLedger() });
const inner = new InnerSocket(start.inner);
const proxy = createProxy({
  config: { ...config, queue: { ...config.queue, size: Math.ceil(config.queue.size / workers) } },
  settings: proxySettings(config, start.spoolDir),
  registry,
  prefixes: new PrefixIndex(start.prefixes),
  clock: systemClock,
  logger,
  tracing,
  observe: observing.observe,
  mainThread: inner,
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
    case 'surface removed':
      return removeSurface(message.prefix);
    case 'caller':
    case 'refused':
      return questions.answered(message);
    case 'drawn':
      return bank?.answered(message.question, message.drawn);
    case 'close':
      return close();
  }
});

function setSurface({ prefix, aliases, only, ...rest }: InferenceSurface): void {
  const known = surfaces.get(prefix);
  if (known) return void Object.assign(known, { aliases, only });
  const gate = new RemoteGate(prefix, questions, limits, monotonicClock);
  const surface = { prefix, aliases, only, ...rest, gate };
  surfaces.set(prefix, surface);
  front.add(surface);
  shapeOf = shapeFinder([...surfaces.values()]);
}

function removeSurface(prefix: string): void {
  surfaces.delete(prefix);
  front.remove(prefix);
  shapeOf = shapeFinder([...surfaces.values()]);
}

setInterval(report, reportInterval).unref();
setInterval(() => {
  if (proxy.scheduler.waiting === 0) return;
  for (const route of registry.models().routes()) if (route.waiting.size > 0) proxy.scheduler.settle(route);
}, retryInterval).unref();
setInterval(() => registry.decay(), reportInterval).unref();

server.on('error', (error: NodeJS.ErrnoException) => {
  send({ kind: 'failed', code: error.code ?? '', message: error.message });
});
server.listen({ host: start.host, port: start.port, reusePort: true }, () => {
  send({ kind: 'listening', port: (server.address() as AddressInfo).port });
});

function report(): void {
  const [models, usage] = [observing.meters.take(), observing.usage.take()];
  if (models.length > 0 || usage.length > 0) send({ kind: 'counted', models, usage });
}

function close(): void {
  const force = setTimeout(() => server.closeAllConnections(), config.http.drain_timeout);
  server.close(async () => {
    clearTimeout(force);
    report();
    observing.close();
    proxy.close();
    main.close();
    inner.close();
    await tracing.close();
    parentPort?.close();
  });
  server.closeIdleConnections();
}
