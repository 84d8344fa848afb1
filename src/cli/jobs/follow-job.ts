import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from '../../contracts/management/jobs.ts';
import { type ManagementApi, PlatformAway } from '../server/management-api.ts';
import { ProgressLine } from '../terminal/progress-line.ts';

const ended = ['FINISHED', 'FAILED', 'KILLED'];

/** Of work that is not counted in bytes: how many are done, and what it says of the step it is at. */
function inWords(name: string, progress: NonNullable<Job['progress']>): string {
  const { done, total, unit, message } = progress;
  return `${name}: ${done}${total === null ? '' : ` of ${total}`} ${unit}${message ? `, ${message}` : ''}`;
}

/** Shows how far a job is until it has ended. Ctrl+C stops the watching, not the job. */
export async function followJob(api: ManagementApi, job: Job): Promise<Job> {
  const line = new ProgressLine(process.stderr);
  for (let current = job; ; current = await askPatiently<Job>(api, `jobs/${job.id}/status/`)) {
    const { progress } = current;
    if (progress?.next_try_at) line.note(`${job.name}: ${progress.message}`);
    else if (progress?.unit === 'bytes') line.show(job.name, progress.done, progress.total ?? undefined);
    else if (progress) line.note(inWords(job.name, progress));
    if (ended.includes(current.status)) {
      line.done();
      return current;
    }
    await wait(300);
  }
}

/** How long a platform may be away, in milliseconds: jobs outlive its restart, and so does who follows one. */
const patience = 120_000;

export async function askPatiently<Answer>(api: Pick<ManagementApi, 'call'>, path: string): Promise<Answer> {
  for (const end = performance.now() + patience; ; await wait(500)) {
    try {
      return await api.call<Answer>('GET', path);
    } catch (error) {
      if (!(error instanceof PlatformAway) || performance.now() > end) throw error;
    }
  }
}
