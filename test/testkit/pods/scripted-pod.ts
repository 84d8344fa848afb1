import { buildApp } from '../../../src/platform/http/build-app.ts';
import type { Service } from '../../../src/platform/http/service.ts';
import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import type { Engine } from '../../../src/pod/engine.ts';
import { podService } from '../../../src/pod/pod-service.ts';
import { Pod } from '../../../src/pod/serving/pod.ts';
import { podAccess } from '../../../src/pod/serving/pod-access.ts';
import { PodStatistics } from '../../../src/pod/serving/statistics.ts';
import { ScriptedEngine } from './scripted-engine.ts';

export interface ScriptedPod {
  address: string;
  pod: Pod;
  engine: ScriptedEngine;
  close(): Promise<void>;
}

/** A listening pod with a scripted engine that serves the model `scripted`. */
export async function startScriptedPod(secret?: string): Promise<ScriptedPod> {
  const engine = new ScriptedEngine();
  return { ...(await startPodOver(engine, 'scripted', podService, secret)), engine };
}

/** A listening pod for an engine that is already running. */
export async function startPodOver(
  engine: Engine,
  name: string,
  serviceOf: (pod: Pod) => Service,
  secret?: string,
) {
  const metrics = createMetrics({ version: '1', processMetrics: false });
  const statistics = new PodStatistics(metrics, () => undefined);
  const names = { model_name: `org/${name}`, served_model_name: name, task: 'llm' };
  const pod = new Pod(names, statistics, '1', () => {});
  pod.loaded(engine);
  const { app, drain } = await buildApp({
    services: [serviceOf(pod)],
    logger: silentLogger(),
    metrics,
    access: podAccess({ host: '127.0.0.1', secret }),
    programVersion: '1',
    http: { body_limit: 2 ** 20, cors_origins: [] },
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { address, pod, close: () => drain.close(0) };
}
