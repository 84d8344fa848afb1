import { hostname } from 'node:os';
import { buildApp } from '../platform/http/build-app.ts';
import { listen } from '../platform/http/listen.ts';
import { describeHardware } from '../platform/processes/describe-hardware.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import type { Engine } from './engine.ts';
import { podService } from './pod-service.ts';
import { tellLauncher } from './process/launcher-channel.ts';
import { machineUsageReader } from './reporting/machine-usage.ts';
import { podReport } from './reporting/pod-report.ts';
import { Reporter } from './reporting/reporter.ts';
import { Pod } from './serving/pod.ts';
import { podAccess } from './serving/pod-access.ts';
import { PodStatistics } from './serving/statistics.ts';
import { type EngineOptions, isUpstream, startEngine } from './start-engine.ts';
import { upstreamService } from './upstream/upstream-service.ts';

export interface PodOptions extends EngineOptions {
  pod_id: string;
  /** The model's name in reports: an id, or the path that was given. */
  model_name: string;
  host: string;
  port: number;
  /** The address at which others reach the pod, if it differs from the listening address. */
  advertise?: string | undefined;
  dispatcher?: string | undefined;
  dispatcher_key?: string | undefined;
  /** Only callers that send it as their key are served. Absent: everybody. */
  secret?: string | undefined;
  report_interval: number;
  body_limit: number;
  version: string;
  logger: Logger;
}

export interface RunningPod {
  address: string;
  engine: Engine;
  /** Resolves with the reason if the server behind an engine ends; otherwise stays pending. */
  gone: Promise<string>;
  /** Reports the end to the dispatcher, lets running requests finish for at most `limit` ms, and frees everything. */
  stop(reason: string, limit: number): Promise<void>;
}

/** Listens, loads the model, then reports. Requests that arrive before the model is loaded get a 503 response. */
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
    access: podAccess(options),
    programVersion: version,
    http: { body_limit: options.body_limit, cors_origins: [] },
  });
  const address = await listen(app, options);
  const usage = machineUsageReader(options.gpu_id);
  const hardware = options.dispatcher === undefined ? undefined : await describeHardware();
  const identity = {
    ...hardware,
    pod_id: options.pod_id,
    engine: options.engine,
    version,
    ...(options.secret === undefined ? {} : { pod_secret: options.secret }),
  };
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
  // When the launcher announces the pod, the dispatcher must already know it.
  await reporter?.sent();
  await tellLauncher({ kind: 'listening', address: advertised(options, address) });
  logger.info({ address, model: options.served_model_name }, 'the pod is ready');
  const gone = engine.kind === 'upstream' ? engine.gone : new Promise<string>(() => {});
  return { address, engine, gone, stop };
}

/** Others can't connect to a wildcard address, so it is replaced by this machine's name. */
function advertised({ advertise, host }: PodOptions, address: string): string {
  if (advertise) return advertise;
  if (host !== '0.0.0.0' && host !== '::') return address;
  return `http://${hostname()}:${new URL(address).port}`;
}
