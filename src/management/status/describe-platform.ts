import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { BotCounts, PlatformStatus } from '../../contracts/management/status.ts';
import { listGpus } from '../../platform/processes/nvidia-smi.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { DeploymentDependencies } from '../deployments/deploying/deployment-dependencies.ts';
import { listSlots } from '../deployments/deploying/list-slots.ts';
import { describeJob, jobKinds } from '../jobs/describe-job.ts';

export interface StatusDependencies {
  deployments: DeploymentDependencies;
  queue: Pick<WorkQueue, 'list'>;
  dataDir: string;
  version: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  address(): string | undefined;
  /** Null where this process does not know them. */
  bots(): Promise<BotCounts | null>;
}

/** What runs, and on what: the answer to "is everything all right?". */
export async function describePlatform(deps: StatusDependencies): Promise<PlatformStatus> {
  const { deployments, queue, dataDir, version, startedAt, address, bots } = deps;
  const { bsize, blocks, bavail } = await statfs(dataDir);
  return {
    version,
    address: address() ?? null,
    started_at: new Date(startedAt).toISOString(),
    slots: await listSlots(deployments),
    pods: deployments.dispatcherPods.list().map(describePod),
    pods_problem: deployments.dispatcherPods.problem ?? null,
    jobs: (await queue.list({ kinds: jobKinds, states: ['CREATED', 'RUNNING'] })).map(describeJob),
    bots: await bots(),
    disk: { folder: dataDir, free_bytes: bavail * bsize, total_bytes: blocks * bsize },
    memory: { free_bytes: process.availableMemory(), total_bytes: totalMemory() },
    gpus: await listGpus(),
  };
}

/** Respects container limits; without one, the limit is 0 or larger than the machine. */
const totalMemory = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

const describePod = (pod: PodRecord): PlatformStatus['pods'][number] => ({
  pod_id: pod.pod_id,
  model: pod.served_model_name ?? pod.model_name ?? null,
  adapters: pod.adapters ?? [],
  task: pod.task ?? null,
  engine: pod.engine ?? null,
  address: pod.pod_address ?? null,
  live: pod.live,
  running_requests: pod.requests_num_running ?? 0,
});
