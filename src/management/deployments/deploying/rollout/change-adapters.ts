import { request } from 'undici';
import type { PodRunner } from '../../../../contracts/launching.ts';
import { BadRequest, Unavailable } from '../../../../contracts/problems.ts';
import type { WorkContext } from '../../../../platform/queue/work-kind.ts';
import type { DeploymentPlan } from '../../planning/plan-deployment.ts';
import { specsOf } from '../../planning/pod-specs.ts';
import { allAnswer } from '../../pods/all-answer.ts';
import { awaitPods } from '../../pods/await-pods.ts';
import {
  listDeployedPods,
  putDeployment,
  putPod,
  type StoredDeployment,
} from '../../records/deployments-store.ts';
import type { PodSpec } from '../../records/pod-spec.ts';
import type { DeploymentDependencies } from '../deployment-dependencies.ts';

type Run = Pick<WorkContext, 'id' | 'signal' | 'report' | 'finish'>;
type Adapter = PodSpec['adapters'][number];

/** How long a pod may take to load one adapter, in milliseconds. */
const loadLimit = 120_000;

/**
 * Changes the adapters of the serving pods without reloading the base. New adapters are loaded and recorded before
 * old ones are unloaded. Returns false if the change needs new pods.
 */
export async function changeAdapters(
  deps: DeploymentDependencies,
  current: StoredDeployment,
  plan: DeploymentPlan,
  run: Run,
): Promise<boolean> {
  const pods = (await listDeployedPods(deps.database, plan.slot)).filter(({ state }) => state === 'serving');
  const wanted = (await specsOf(deps.models, plan, current.job_id))[0];
  const targets = pods.flatMap(({ pod_id }) => targetOf(deps.launcher, pod_id) ?? []);
  if (!wanted || pods.length !== plan.replicas || targets.length !== pods.length) return false;
  const held = pods[0]?.spec.adapters ?? [];
  if (wanted.model !== pods[0]?.spec.model || held.some((adapter) => wasChanged(adapter, wanted)))
    return false;
  if (!(await allAnswer(deps, pods))) return false;

  // vLLM that was started without adapters can't load one.
  if (plan.engine === 'vllm' && held.length === 0) return false;

  const added = wanted.adapters.filter(({ name }) => !held.some((other) => other.name === name));
  const removed = held.filter(({ name }) => !wanted.adapters.some((other) => other.name === name));
  const specs = pods.map(({ spec }) => ({ ...spec, adapters: wanted.adapters }));
  const deployment: StoredDeployment = {
    ...current,
    adapter_ids: plan.adapter_ids,
    job_id: run.id,
    deployed_at: deps.clock.now(),
    replaced_model_id: null,
  };
  try {
    for (const target of targets) await loadAll(target, added, run.signal);
    await awaitPods(specs, { ...deps, ...run, limit: loadLimit });
    await run.finish(async (session) => {
      await putDeployment(session, deployment);
      for (const [index, pod] of pods.entries()) {
        await putPod(session, { ...pod, spec: specs[index] as PodSpec });
      }
      session.afterCommit(() => deps.directory.put(deployment));
    });
  } catch (error) {
    await unloadAll(deps, targets, added);
    // The rank may be higher than vLLM was started for; new pods are started with the rank they need.
    if (plan.engine === 'vllm' && error instanceof BadRequest) return false;
    throw error;
  }
  for (const spec of specs) deps.launcher.amend(spec);
  await unloadAll(deps, targets, removed);
  return true;
}

/** An adapter that keeps its name but has other files must not change while requests use it. */
const wasChanged = (adapter: Adapter, wanted: PodSpec) =>
  wanted.adapters.some(({ name, path }) => name === adapter.name && path !== adapter.path);

async function loadAll(target: PodTarget, adapters: readonly Adapter[], signal: AbortSignal): Promise<void> {
  for (const { name, path } of adapters) {
    await callPod(target, '/v1/load_lora_adapter', { lora_name: name, lora_path: path }, signal);
  }
}

/** Failures are only logged: a leftover adapter gets no requests and uses memory until the pod restarts. */
async function unloadAll(
  { logger }: Pick<DeploymentDependencies, 'logger'>,
  targets: readonly PodTarget[],
  adapters: readonly Adapter[],
): Promise<void> {
  for (const target of targets) {
    for (const { name } of adapters) {
      const limit = AbortSignal.timeout(loadLimit);
      await callPod(target, '/v1/unload_lora_adapter', { lora_name: name }, limit).catch((error) =>
        logger.warn({ err: error, adapter: name, pod: target.address }, 'could not unload an adapter'),
      );
    }
  }
}

interface PodTarget {
  address: string;
  secret: string | undefined;
}

function targetOf(launcher: Pick<PodRunner, 'get' | 'secret'>, podId: string): PodTarget | undefined {
  const address = launcher.get(podId)?.address;
  return address ? { address, secret: launcher.secret?.(podId) } : undefined;
}

async function callPod(
  { address, secret }: PodTarget,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<void> {
  const answer = await request(address + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify(body),
    signal,
    headersTimeout: loadLimit,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Unavailable('the pod that serves the base model did not respond', { cause: error });
  });
  const text = await answer.body.text();
  if (answer.statusCode < 400) return;
  throw new BadRequest(messageIn(text) ?? `the pod answered ${answer.statusCode}`);
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
