import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '../contracts/management/jobs.ts';
import type { ManagementApi } from './management-api.ts';
import { ProgressLine } from './progress-line.ts';

const ended = ['FINISHED', 'FAILED', 'KILLED'];

/** Of work that is not counted in bytes: how many are done, and what it says of the step it is at. */
function inWords(name: string, progress: NonNullable<Job['progress']>): string {
  const {
    done,
    total,
    unit,
    message,
    step = message,
  } = progress as typeof progress & { step?: string | null };
  return `${name}: ${done}${total === null ? '' : ` of ${total}`} ${unit}${step ? `, ${step}` : ''}`;
}

/** Shows how far a job is until it has ended. Ctrl+C stops the watching, not the job. */
export async function followJob(api: ManagementApi, job: Job): Promise<Job> {
  const line = new ProgressLine(process.stderr);
  for (let current = job; ; current = await api.call<Job>('GET', `jobs/${job.id}/status/`)) {
    const { progress } = current;
    if (progress?.unit === 'bytes') line.show(job.name, progress.done, progress.total ?? undefined);
    else if (progress) line.note(inWords(job.name, progress));
    if (ended.includes(current.status)) {
      line.done();
      return current;
    }
    await wait(300);
  }
}
