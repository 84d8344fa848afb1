import { hostname } from 'node:os';
import { buildApp } from '../platform/http/build-app.ts';
import { listen } from '../platform/http/listen.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import type { Engine } from './engine.ts';
import { tellLauncher } from './launcher-channel.ts';
import { Pod } from './pod.ts';
import { podService } from './pod-service.ts';
import { machineUsageReader } from './reporting/machine-usage.ts';
import { podReport } from './reporting/pod-report.ts';
import { Reporter } from './reporting/reporter.ts';
import { type EngineOptions, isUpstream, startEngine } from './start-engine.ts';
import { PodStatistics } from './statistics.ts';
import { upstreamService } from './upstream/upstream-service.ts';

export interface PodOptions extends EngineOptions {
  pod_id: string;
  /** What the model is called in reports: an id, or the path it was given by. */
  model_name: string;
  host: string;
  port: number;
  /** The address that others reach it by, where that is not where it listens. */
  advertise?: string | undefined;
  dispatcher?: string | undefined;
  dispatcher_key?: string | undefined;
  report_interval: number;
  gpu_id?: string | undefined;
  body_limit: number;
  version: string;
  logger: Logger;
}

export interface RunningPod {
  address: string;
  engine: Engine;
  /** Settles with the reason when the server behind an engine is gone; never otherwise. */
  gone: Promise<string>;
  /** Says goodbye to the dispatcher, lets running answers end for at most `limit` ms, and frees everything. */
  stop(reason: string, limit: number): Promise<void>;
}

/** Listens, loads the model, then reports. Requests that come before it is loaded are told to come back. */
export async function runPod(options: PodOptions): Promise<RunningPod> {
  const { logger, version } = options;
  const metrics = createMetrics({ version });
  let engine: Engine | undefined;
  const statistics = new PodStatistics(metrics, () => engine?.status());
  const pod: Pod = new Pod(options, statistics, version, () => reporter?.changed());
  const { app, drain } = await buildApp({
    services: [isUpstream(options.engine) ? upstreamService(pod) : podService(pod)],
    logger,
    metrics,
    access: { authenticate: () => undefined, open: true },
    programVersion: version,
    http: { body_limit: options.body_limit, cors_origins: [] },
  });
  const address = await listen(app, options);
  const usage = machineUsageReader(options.gpu_id);
  const identity = { pod_id: options.pod_id, engine: options.engine, version };
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count ?? 0)));
  const reporter =
    options.dispatcher === undefined
      ? undefined
      : new Reporter({
          dispatcher: options.dispatcher,
          key: options.dispatcher_key,
          interval: options.report_interval,
          logger,
          report: async () =>
            podReport(pod, identity, advertised(options, address), await connections(), await usage()),
        });
  const stop = async (reason: string, limit: number) => {
    // Told first, so that the launcher can end this process if what follows hangs.
    await tellLauncher({ kind: 'dead', reason });
    await reporter?.dead(reason);
    await drain.close(limit);
    await engine?.close();
  };
  try {
    engine = await startEngine(options);
  } catch (error) {
    await stop((error as Error).message, 0);
    throw error;
  }
  pod.loaded(engine);
  // Who learns from the launcher that it runs expects the dispatcher to know it too.
  await reporter?.sent();
  await tellLauncher({ kind: 'listening', address: advertised(options, address) });
  logger.info({ address, model: options.served_model_name }, 'the pod serves');
  const gone = engine.kind === 'upstream' ? engine.gone : new Promise<string>(() => {});
  return { address, engine, gone, stop };
}

/** A wildcard address means nothing to others: they get this machine's name. */
function advertised({ advertise, host }: PodOptions, address: string): string {
  if (advertise) return advertise;
  if (host !== '0.0.0.0' && host !== '::') return address;
  return `http://${hostname()}:${new URL(address).port}`;
}
