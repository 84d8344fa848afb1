import type { Job } from '../../contracts/management/jobs.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { hintNext } from '../terminal/hint.ts';
import { print, printJson } from '../terminal/print.ts';

/** Prints a started job: immediately, or with `wait` after it has ended. `next` are commands to run once it is done. */
export async function reportJob(
  api: ManagementApi,
  started: Job,
  options: { wait?: boolean; json?: boolean },
  next: string[] = ['status'],
): Promise<void> {
  const { followJob } = await import('./follow-job.ts');
  const job = options.wait ? await followJob(api, started) : started;
  if (job.status === 'FAILED' || job.status === 'KILLED') process.exitCode = 1;
  if (options.json) return printJson(job);
  if (!options.wait) {
    print(`${job.name} started (job ${job.id})`);
    return hintNext(`jobs follow ${job.id}`);
  }
  if (job.status !== 'FINISHED') return print(`${job.name} ${job.status}: ${job.error ?? 'interrupted'}`);
  print(`${job.name} is done`);
  hintNext(...next);
}
