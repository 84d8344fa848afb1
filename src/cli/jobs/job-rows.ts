import type { Job } from '../../contracts/management/jobs.ts';
import { time } from '../terminal/amounts.ts';
import { table } from '../terminal/table.ts';

export const jobTable = (jobs: Job[]) =>
  table(
    ['ID', 'STATUS', 'STARTED', 'NAME', 'PROGRESS'],
    jobs.map((job) => [job.id, job.status, time(job.started_at), job.name, detail(job)]),
  );

/** Why it failed or waits, else how far it is. */
function detail({ progress, error, finished_at }: Job): string {
  if (error !== null) return error;
  if (!progress || finished_at !== null) return '';
  const { done, total, message, next_try_at } = progress;
  const share = total ? `${Math.floor((100 * done) / total)} %` : '';
  return next_try_at ? (message ?? '') : [share, message].filter(Boolean).join('  ');
}
