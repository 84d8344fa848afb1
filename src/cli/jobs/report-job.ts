import type { Job } from '../../contracts/management/jobs.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { print, printJson } from '../terminal/print.ts';

/** Prints a started job: immediately, or with `wait` after it has ended. */
export async function reportJob(
  api: ManagementApi,
  started: Job,
  options: { wait?: boolean; json?: boolean },
): Promise<void> {
  const { followJob } = await import('./follow-job.ts');
  const job = options.wait ? await followJob(api, started) : started;
  if (job.status === 'FAILED' || job.status === 'KILLED') process.exitCode = 1;
  if (options.json) return printJson(job);
  if (!options.wait) return print(`${job.name} started (job ${job.id})`);
  print(
    job.status === 'FINISHED'
      ? `${job.name} is done`
      : `${job.name} ${job.status}: ${job.error ?? 'interrupted'}`,
  );
}
