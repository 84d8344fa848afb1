import type { BotCounts, PlatformStatus } from '../../contracts/management/status.ts';
import { jobTable } from '../jobs/job-rows.ts';
import { size, time } from '../terminal/amounts.ts';
import { hintNext } from '../terminal/hint.ts';
import { print } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

/** Prints the platform at a glance. */
export function describeStatus(url: string, status: PlatformStatus): void {
  const { version, started_at, slots, pods, pods_problem, jobs, bots, disk, memory, gpus } = status;
  const space = ({ free_bytes, total_bytes }: typeof memory) =>
    `${size(free_bytes)} free of ${size(total_bytes)}`;
  print(`Roundhouse ${version} at ${url}, running since ${time(started_at)} UTC`);
  print(`disk    ${space(disk)}  (${disk.folder})`);
  print(`memory  ${space(memory)}`);
  for (const [index, gpu] of gpus.entries()) print(gpuLine(index, gpu));
  if (gpus.length === 0) print('GPU     none');
  if (bots) print(botsLine(url, bots));
  print('');
  print(table(['SLOT', 'SERVES', 'ADAPTERS', 'PODS', 'STATE'], slots.map(slotRow)));
  if (pods.length > 0) {
    print('');
    print(table(['POD', 'MODEL', 'TASK', 'ENGINE', 'ADDRESS', 'REQUESTS', 'STATE'], pods.map(podRow)));
  }
  if (pods_problem) print(`\npods: ${pods_problem}`);
  print(jobs.length > 0 ? `\n${jobTable(jobs)}` : '\nno jobs are running');
  if (!slots.some(({ deployment }) => deployment) && jobs.length === 0)
    hintNext('run <model>', 'models catalog');
}

/** Numbered as by nvidia-smi and the option --gpus. */
export function gpuLine(index: number, gpu: PlatformStatus['gpus'][number]): string {
  const used = `${size(gpu.memory_used_bytes)} used of ${size(gpu.memory_total_bytes)}`;
  return `${`GPU ${index}`.padEnd(8)}${used}, ${Math.round(gpu.utilization * 100)} % busy  (${gpu.name})`;
}

export function botsLine(url: string, { ready, creating, failed, empty }: BotCounts): string {
  const kinds: [number, string][] = [
    [ready, 'ready'],
    [creating, 'being indexed'],
    [failed, 'failed'],
    [empty, 'empty'],
  ];
  const counts = kinds.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return counts.length === 0
    ? 'bots    none  (create one with: roundhouse create-bot <bot> <folder>)'
    : `bots    ${counts.join(', ')}  (list them with: roundhouse bots list; ask one at ${url}/agent/<bot>)`;
}

function slotRow({ slot, deployment }: PlatformStatus['slots'][number]): string[] {
  if (!deployment) return [slot, 'nothing', '', '', ''];
  const { model_id, adapter_ids, replicas = 1, ready = replicas, error } = deployment;
  const state = ready === replicas ? 'ready' : (error ?? 'not ready');
  return [slot, model_id, adapter_ids.join(','), `${ready} of ${replicas}`, state];
}

const podRow = (pod: PlatformStatus['pods'][number]): string[] => [
  pod.pod_id,
  pod.model ?? '',
  pod.task ?? '',
  pod.engine ?? '',
  pod.address ?? '',
  String(pod.running_requests),
  pod.live ? 'live' : 'away',
];
