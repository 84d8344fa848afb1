import type { Job } from '../../contracts/management/jobs.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';

/** Kinds of work that the management API shows as jobs; the document index has its own commands. */
export const jobKinds = ['DOWNLOAD', 'DEPLOY', 'FINETUNE'] as const;

export function describeJob(item: WorkItem): Job {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: item.id,
    name: item.name,
    status: item.state,
    // A waiting job has no start time, but callers expect this field from the beginning.
    started_at: new Date(item.startedAt ?? item.createdAt).toISOString(),
    finished_at: time(item.finishedAt),
    progress: item.progress,
    error: item.error,
  };
}
