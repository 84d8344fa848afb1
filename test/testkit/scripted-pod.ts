import { buildApp } from '../../src/platform/http/build-app.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { Pod } from '../../src/pod/pod.ts';
import { podService } from '../../src/pod/pod-service.ts';
import { PodStatistics } from '../../src/pod/statistics.ts';
import { ScriptedEngine } from './scripted-engine.ts';

export interface ScriptedPod {
  address: string;
  pod: Pod;
  engine: ScriptedEngine;
  close(): Promise<void>;
}

/** A pod that listens, over an engine that does what it is told: `scripted` is its model. */
export async function startScriptedPod(): Promise<ScriptedPod> {
  const metrics = createMetrics({ version: '1', processMetrics: false });
  const statistics = new PodStatistics(metrics, () => undefined);
  const names = { model_name: 'org/scripted', served_model_name: 'scripted', task: 'llm' };
  const pod = new Pod(names, statistics, '1', () => {});
  const engine = new ScriptedEngine();
  pod.loaded(engine);
  const { app, drain } = await buildApp({
    services: [podService(pod)],
    logger: silentLogger(),
    metrics,
    access: { authenticate: () => undefined, open: true },
    programVersion: '1',
    http: { body_limit: 2 ** 20, cors_origins: [] },
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { address, pod, engine, close: () => drain.close(0) };
}
