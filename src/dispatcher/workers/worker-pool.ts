import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Problem } from '../../contracts/problems.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import type { AccessRules } from '../../platform/http/access.ts';
import type { Drawn } from '../../platform/metering/leases/bank.ts';
import type { MeteringThreads } from '../../platform/metering/open-metering.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Observing } from '../accounting/start-observing.ts';
import { admitToSurface } from '../calls/admission/admit-to-surface.ts';
import { ownSurface } from '../calls/admission/surface.ts';
import type { MirroredPod, PodRegistry } from '../pods/registry.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import type { Occupancy } from '../routing/occupancy.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { sweepSockets } from './sweep-sockets.ts';

export interface PoolDependencies {
  config: WorkerStart['config'];
  spoolDir: string;
  /** By prefix. */
  surfaces: ReadonlyMap<string, InferenceSurface>;
  registry: PodRegistry;
  occupancy: Occupancy;
  metering: MeteringThreads;
  prefixes: SharedArrayBuffer;
  access: AccessRules;
  observing: Pick<Observing, 'meters' | 'usage'>;
  logger: Logger;
}

const restartDelay = 500;

/**
 * Threads that serve the proxied endpoints on one port, each with its own event loop. The pool sends them the pods'
 * state and collects their counts; limits and prompt prefixes are in shared memory.
 */
export class WorkerPool {
  /** The Unix socket on which the main thread must listen for requests that workers forward. */
  readonly inner = join(tmpdir(), `roundhouse-${randomBytes(8).toString('hex')}.sock`);
  readonly #deps: PoolDependencies;
  readonly #workers = new Map<number, Worker>();
  #host = '';
  #port = 0;
  #closing = false;

  constructor(deps: PoolDependencies) {
    this.#deps = deps;
    deps.registry.listen({
      changed: (pod) => this.#broadcast({ kind: 'pod', pod: mirrored(pod) }),
      forgotten: (pod) => this.#broadcast({ kind: 'forget', podId: pod.id }),
    });
  }

  /** Starts the workers and returns the port. If the port is 0, the first worker picks one. */
  async listen(host: string, port: number): Promise<number> {
    void sweepSockets();
    this.#host = host;
    this.#port = port;
    for (let index = 0; index < this.#deps.config.dispatcher.workers; index++) await this.#start(index);
    return this.#port;
  }

  /** Updates the running workers. Workers that start later receive the current surfaces. */
  setSurface(surface: InferenceSurface): void {
    this.#broadcast({ kind: 'surface', surface });
  }

  removeSurface(prefix: string): void {
    this.#broadcast({ kind: 'surface removed', prefix });
  }

  async close(): Promise<void> {
    this.#closing = true;
    const ended = [...this.#workers.values()].map((worker) => once(worker, 'exit'));
    this.#broadcast({ kind: 'close' });
    await Promise.all(ended);
  }

  async #start(index: number): Promise<void> {
    const { config, spoolDir, surfaces, registry, occupancy, metering, prefixes } = this.#deps;
    const start: WorkerStart = {
      config,
      index,
      spoolDir,
      host: this.#host,
      port: this.#port,
      inner: this.inner,
      surfaces: [...surfaces.values()],
      pods: Array.from(registry.all(), mirrored),
      occupancy: occupancy.buffer,
      limits: metering.shared,
      prefixes,
    };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: start });
    this.#workers.set(index, worker);
    worker.on('exit', () => this.#ended(index));
    worker.on('error', (error) => this.#deps.logger.error({ err: error, worker: index }, 'a worker failed'));
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') {
          this.#port = message.port;
          resolve();
        } else if (message.kind === 'failed') {
          reject(Object.assign(new Error(message.message), { code: message.code }));
        } else this.#receive(worker, message);
      });
      worker.once('exit', () => reject(new Error('a worker exited before it was ready')));
    });
  }

  /** Clears the counts of a worker that ended, and starts a replacement. */
  #ended(index: number): void {
    this.#workers.delete(index);
    this.#deps.occupancy.clearWorker(index);
    this.#deps.metering.ended(index);
    if (this.#closing || this.#port === 0) return;
    setTimeout(() => {
      if (!this.#closing)
        this.#start(index).catch((error) =>
          this.#deps.logger.error({ err: error }, 'could not restart a worker'),
        );
    }, restartDelay);
  }

  #receive(worker: Worker, message: FromWorker): void {
    const { observing, metering } = this.#deps;
    if (message.kind === 'identify') worker.postMessage(this.#identify(message));
    if (message.kind === 'draw') this.#draw(worker, message);
    if (message.kind === 'settle') metering.bank?.settle(message.account);
    if (message.kind === 'counted') {
      observing.meters.add(message.models);
      observing.usage.add(message.usage);
    }
  }

  #draw(worker: Worker, { question, draw }: Extract<FromWorker, { kind: 'draw' }>): void {
    const reply = (drawn: Drawn) => worker.postMessage({ kind: 'drawn', question, drawn } satisfies ToWorker);
    this.#deps.metering.bank?.draw(draw).then(reply, () => reply('unavailable'));
  }

  #identify({ question, prefix, authorization }: Extract<FromWorker, { kind: 'identify' }>): ToWorker {
    const { surfaces, access, metering } = this.#deps;
    // A worker may still serve a surface that was removed just now.
    const surface = surfaces.get(prefix) ?? ownSurface;
    try {
      const { caller, onlyBots } = admitToSurface(surface, authorization, access);
      return { kind: 'caller', question, caller, row: metering.rowOf(caller), onlyBots: onlyBots?.message };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { kind: 'refused', question, status: error.status === 403 ? 403 : 401, message: error.message };
    }
  }

  #broadcast(message: ToWorker): void {
    for (const worker of this.#workers.values()) worker.postMessage(message);
  }
}

function mirrored({ info, cacheId, row, reportedAt, expiresAt }: RoutedPod): MirroredPod {
  return { info, cacheId, row, reportedAt, expiresAt };
}
