import type { Command } from 'commander';
import type { Job } from '../../contracts/management/jobs.ts';
import { jobTable } from '../jobs/job-rows.ts';
import { type ManagementApi, openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { print, printJson } from '../terminal/print.ts';

interface JsonOptions extends ServerOptions {
  json?: boolean;
}

export function register(program: Command): void {
  const jobs = program.command('jobs').description('List, follow and interrupt background jobs');
  const one = (name: string, description: string) =>
    withServerOptions(jobs.command(`${name} <id>`).description(description)).option('--json', 'print JSON');

  withServerOptions(jobs.command('list').description('List jobs, newest first'))
    .option('--json', 'print JSON')
    .action(list);
  one('show', 'Show a job').action((id: string, options: JsonOptions) =>
    answer(options, (api) => api.call<Job>('GET', statusPath(id))),
  );
  one('interrupt', 'Interrupt a job').action((id: string, options: JsonOptions) =>
    answer(options, (api) => api.call<Job>('POST', `jobs/${encodeURIComponent(id)}/interrupt/`)),
  );
  one('follow', 'Wait until a job ends and show its progress; exits with 1 if the job failed').action(follow);
}

const statusPath = (id: string) => `jobs/${encodeURIComponent(id)}/status/`;

async function list(options: JsonOptions): Promise<void> {
  const jobs = await (await openManagement(options)).call<Job[]>('GET', 'jobs/');
  if (options.json) return printJson(jobs);
  if (jobs.length === 0)
    return print("no jobs yet; 'roundhouse models add', 'deploy' and 'finetune run' start some");
  print(jobTable(jobs));
}

async function answer(options: JsonOptions, ask: (api: ManagementApi) => Promise<Job>): Promise<void> {
  const job = await ask(await openManagement(options));
  print(options.json ? JSON.stringify(job, null, 2) : jobTable([job]));
}

async function follow(id: string, options: JsonOptions): Promise<void> {
  const { reportJob } = await import('../jobs/report-job.ts');
  const { findJobToFollow } = await import('../jobs/follow-job.ts');
  const api = await openManagement(options);
  await reportJob(api, await findJobToFollow(api, statusPath(id)), { ...options, wait: true });
}
