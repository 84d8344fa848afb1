import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../contracts/clock.ts';
import type { DispatcherPods, LaunchedPod, PodRunner } from '../../../contracts/launching.ts';
import { DeadlineExceeded, UpstreamFailed } from '../../../contracts/problems.ts';
import type { WorkProgress } from '../../../platform/queue/work-item.ts';
import type { PodSpec } from '../records/pod-spec.ts';

interface Waiting {
  launcher: Pick<PodRunner, 'get'>;
  dispatcherPods: Pick<DispatcherPods, 'get'>;
  clock: Clock;
  signal: AbortSignal;
  limit: number;
  /** Shown with the progress when there is nothing else to say. */
  note?: string | undefined;
  report(progress: WorkProgress): void;
}

/** Waits until every pod serves its model and has reported to the dispatcher. Throws the reason if a pod fails. */
export async function awaitPods(pods: readonly PodSpec[], waiting: Waiting): Promise<void> {
  const { launcher, dispatcherPods, clock, signal } = waiting;
  const deadline = clock.now() + waiting.limit;
  let lastReport = '';
  for (;;) {
    signal.throwIfAborted();
    const processes = pods.map((pod) => ({ pod, process: launcher.get(pod.pod_id) }));
    for (const { pod, process } of processes) throwIfFailed(pod, process);
    const ready = processes.filter(
      ({ pod, process }) => process?.state === 'running' && serves(dispatcherPods, pod),
    ).length;
    const unreported = processes.some(
      ({ pod, process }) => process?.state === 'running' && !dispatcherPods.get(pod.pod_id),
    );
    const message =
      processes.find(({ process }) => process?.progress)?.process?.progress ??
      (unreported ? 'running, but the dispatcher has no report of it yet' : waiting.note);
    const progress = { done: ready, total: pods.length, unit: 'pods', ...(message ? { message } : {}) };
    if (JSON.stringify(progress) !== lastReport) waiting.report(progress);
    lastReport = JSON.stringify(progress);
    if (ready === pods.length) return;
    if (clock.now() > deadline) {
      throw new DeadlineExceeded(
        `${ready} of ${pods.length} pods were ready after ${Math.round(waiting.limit / 1000)} seconds`,
      );
    }
    await sleep(50, undefined, { signal });
  }
}

/** Whether a pod runs with all its adapters, according to its last report. */
export function serves(dispatcherPods: Pick<DispatcherPods, 'get'>, pod: PodSpec): boolean {
  const record = dispatcherPods.get(pod.pod_id);
  if (!record?.live || record.status !== 'running') return false;
  return pod.adapters.every(({ name }) => record.adapters?.includes(name));
}

/** One crash while loading is tolerated; a second crash, or an error that the pod reports as permanent, is not. */
function throwIfFailed(pod: PodSpec, process: LaunchedPod | undefined): void {
  if (!process) throw new UpstreamFailed(`the pod of '${pod.model_name}' was stopped before it was ready`);
  const again = process.state === 'backing-off' && process.restarts > 0;
  if (process.state !== 'failed' && process.state !== 'crash-looping' && !again) return;
  throw new UpstreamFailed(
    `the pod of '${pod.model_name}' could not start: ${process.error ?? 'it exited without a message'}`,
  );
}
