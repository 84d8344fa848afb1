import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { JobStatus } from '../job-status.ts';

export const JobProgress = z
  .object({
    done: z.number().min(0),
    total: z.number().min(0).nullable(),
    unit: z.string(),
    message: z.string().optional().describe('Description of the current step'),
    next_try_at: Timestamp.optional().describe('Set while it waits for its next attempt'),
  })
  .meta({ id: 'JobProgress' });
export type JobProgress = z.infer<typeof JobProgress>;

export const Job = z
  .object({
    id: z.uuid(),
    name: z.string().describe('`DOWNLOAD_…`, `IMPORT_…`, `DEPLOY_…_adapters_…` or `FT_…`'),
    status: JobStatus,
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    progress: JobProgress.nullable(),
    error: z.string().nullable().describe('Why the job failed'),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

/** Accepts any text: an id that is not a UUID gives 404, not a validation error. */
export const JobPath = z.object({ job_id: z.string() });
export type JobPath = z.infer<typeof JobPath>;
