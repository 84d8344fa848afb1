import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '../contracts/management/jobs.ts';
import type { ManagementApi } from './management-api.ts';
import { ProgressLine } from './progress-line.ts';

const ended = ['FINISHED', 'FAILED', 'KILLED'];

/** Shows how far a job is until it has ended. Ctrl+C stops the watching, not the job. */
export async function followJob(api: ManagementApi, job: Job): Promise<Job> {
  const line = new ProgressLine(process.stderr);
  for (let current = job; ; current = await api.call<Job>('GET', `jobs/${job.id}/status/`)) {
    const { progress } = current;
    if (progress?.unit === 'bytes') line.show(job.name, progress.done, progress.total ?? undefined);
    if (ended.includes(current.status)) {
      line.done();
      return current;
    }
    await wait(300);
  }
}
