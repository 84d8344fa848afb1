import type { Job } from '../../contracts/management/jobs.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';

/** The kinds of work that are jobs to the management API; the document index has commands of its own. */
export const jobKinds = ['DOWNLOAD', 'DEPLOY', 'FINETUNE'] as const;

export function describeJob(item: WorkItem): Job {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: item.id,
    name: item.name,
    status: item.state,
    // A job that waits has no start yet; callers read this field from the moment it is made.
    started_at: new Date(item.startedAt ?? item.createdAt).toISOString(),
    finished_at: time(item.finishedAt),
    progress: item.progress,
    error: item.error,
  };
}
