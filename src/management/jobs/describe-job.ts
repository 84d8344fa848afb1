import type { Job } from '../../contracts/management/jobs.ts';
import { endedStates, type WorkItem } from '../../platform/queue/work-item.ts';

/** Kinds of work that the management API shows as jobs; the document index has its own commands. */
export const jobKinds = ['DOWNLOAD', 'DEPLOY', 'FINETUNE'] as const;

export function describeJob(item: WorkItem): Job {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const ended = (endedStates as readonly string[]).includes(item.state);
  return {
    id: item.id,
    name: item.name,
    // A caller that waits for the job sees it running until it has ended, also between two attempts.
    status: waitsForNextTry(item) ? 'RUNNING' : item.state,
    // A waiting job has no start time, but callers expect this field from the beginning.
    started_at: new Date(item.startedAt ?? item.createdAt).toISOString(),
    finished_at: time(item.finishedAt),
    progress: waitsForNextTry(item) ? whileWaiting(item) : item.progress,
    error: ended ? item.error : null,
  };
}

/** An attempt failed, and the queue holds the job back until the next one. */
const waitsForNextTry = ({ state, error }: WorkItem) => state === 'CREATED' && error !== null;

function whileWaiting({ progress, error, notBefore, attempts }: WorkItem): Job['progress'] {
  const next_try_at = new Date(notBefore).toISOString();
  const message = `${error}; next try at ${next_try_at}`;
  return { ...(progress ?? { done: attempts, total: null, unit: 'attempts' }), message, next_try_at };
}
