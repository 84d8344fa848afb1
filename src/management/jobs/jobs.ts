import type { Clock } from '../../contracts/clock.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import { describeJob, jobKinds } from './describe-job.ts';

export interface JobDependencies {
  database: Database;
  clock: Clock;
  queue: Pick<WorkQueue, 'list' | 'get' | 'cancel'>;
}

/** Newest first. */
export async function listJobs({ queue }: JobDependencies): Promise<Job[]> {
  return (await queue.list({ kinds: jobKinds })).map(describeJob);
}

export async function getJob({ queue }: JobDependencies, id: string): Promise<Job> {
  const item = await queue.get(id);
  if (!(jobKinds as readonly string[]).includes(item.kind)) throw new NotFound('job', id);
  return describeJob(item);
}
