import { request } from 'undici';
import { BadRequest, Unavailable } from '../../../contracts/problems.ts';
import type { WorkContext } from '../../../platform/queue/work-kind.ts';
import { type DeploymentPlan, specsOf } from '../planning/plan-deployment.ts';
import { allAnswer } from '../pods/all-answer.ts';
import { awaitPods } from '../pods/await-pods.ts';
import {
  listDeployedPods,
  putDeployment,
  putPod,
  type StoredDeployment,
} from '../records/deployments-store.ts';
import type { PodSpec } from '../records/pod-spec.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';

type Run = Pick<WorkContext, 'id' | 'signal' | 'report' | 'finish'>;
type Adapter = PodSpec['adapters'][number];

/** How long a pod may take to load one adapter, in milliseconds. */
const loadLimit = 120_000;

/**
 * Changes the adapters of the serving pods to those of a plan without loading the base again: new ones are loaded, the
 * change is stored, and then the others are unloaded. Returns false where that is not possible and new pods are needed.
 */
export async function changeAdapters(
  deps: DeploymentDependencies,
  current: StoredDeployment,
  plan: DeploymentPlan,
  run: Run,
): Promise<boolean> {
  const pods = (await listDeployedPods(deps.database, plan.slot)).filter(({ state }) => state === 'serving');
  const wanted = (await specsOf(deps.models, plan, current.job_id))[0];
  const addresses = pods.map(({ pod_id }) => deps.launcher.get(pod_id)?.address ?? null);
  if (!wanted || pods.length !== plan.replicas || addresses.includes(null)) return false;
  const held = pods[0]?.spec.adapters ?? [];
  if (wanted.model !== pods[0]?.spec.model || held.some((adapter) => wasChanged(adapter, wanted)))
    return false;
  if (!(await allAnswer(deps, pods))) return false;

  // vLLM loads adapters only if it was started with one.
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
    for (const address of addresses as string[]) await loadAll(address, added, run.signal);
    await awaitPods(specs, { ...deps, ...run, limit: loadLimit });
    await run.finish(async (session) => {
      await putDeployment(session, deployment);
      for (const [index, pod] of pods.entries()) {
        await putPod(session, { ...pod, spec: specs[index] as PodSpec });
      }
      session.afterCommit(() => deps.directory.put(deployment));
    });
  } catch (error) {
    await unloadAll(deps, addresses as string[], added);
    // One of a higher rank than vLLM was started for: new pods may well take it.
    if (plan.engine === 'vllm' && error instanceof BadRequest) return false;
    throw error;
  }
  for (const spec of specs) deps.launcher.amend(spec);
  await unloadAll(deps, addresses as string[], removed);
  return true;
}

/** An adapter of the same name with other files must not change under those who use it. */
const wasChanged = (adapter: Adapter, wanted: PodSpec) =>
  wanted.adapters.some(({ name, path }) => name === adapter.name && path !== adapter.path);

async function loadAll(address: string, adapters: readonly Adapter[], signal: AbortSignal): Promise<void> {
  for (const { name, path } of adapters) {
    await tellPod(`${address}/v1/load_lora_adapter`, { lora_name: name, lora_path: path }, signal);
  }
}

/** What can't be unloaded costs memory until the pod's next start, and nothing else: no request is sent to it. */
async function unloadAll(
  { logger }: Pick<DeploymentDependencies, 'logger'>,
  addresses: readonly string[],
  adapters: readonly Adapter[],
): Promise<void> {
  for (const address of addresses) {
    for (const { name } of adapters) {
      const limit = AbortSignal.timeout(loadLimit);
      await tellPod(`${address}/v1/unload_lora_adapter`, { lora_name: name }, limit).catch((error) =>
        logger.warn({ err: error, adapter: name, pod: address }, 'an adapter could not be unloaded'),
      );
    }
  }
}

async function tellPod(url: string, body: object, signal: AbortSignal): Promise<void> {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
    headersTimeout: loadLimit,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Unavailable('the pod that serves the base model does not answer', { cause: error });
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
