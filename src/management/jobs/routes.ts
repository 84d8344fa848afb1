import { z } from 'zod';
import { Job, JobPath } from '../../contracts/management/jobs.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import { interruptJob } from './interrupt-job.ts';
import { getJob, type JobDependencies, listJobs } from './jobs.ts';

const tags = ['jobs'];

export function addJobRoutes(app: App, deps: JobDependencies): void {
  app.get(
    '/api/v1/jobs/',
    { schema: { tags, summary: 'List jobs, newest first', response: { 200: z.array(Job) } } },
    () => listJobs(deps),
  );
  app.get(
    '/api/v1/jobs/:job_id/status/',
    { schema: { tags, summary: 'Get the status of a job', params: JobPath, response: { 200: Job } } },
    (request) => getJob(deps, request.params.job_id),
  );
  app.post(
    '/api/v1/jobs/:job_id/interrupt/',
    { schema: { tags, summary: 'Interrupt a job', params: JobPath, response: { 200: Job } } },
    (request) => interruptJob(deps, actorOf(request), request.params.job_id),
  );
}
