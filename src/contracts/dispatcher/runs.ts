import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { JobStatus } from '../job-status.ts';

/** The pod whose latest run is read or interrupted. */
export const RunQuery = z.object({ pod_id: z.string().min(1) });
export type RunQuery = z.infer<typeof RunQuery>;

/** Fields shared by performance and quality runs. */
export const runFields = {
  id: z.uuid(),
  pod_id: z.string(),
  status: JobStatus,
  started_at: Timestamp,
  finished_at: Timestamp.nullable(),
  progress: z.object({ done: z.int().min(0), total: z.int().min(0) }),
  reports: z
    .object({ md: z.string().nullish(), csv: z.string().nullish(), pdf: z.string().nullish() })
    .describe('URL of each available report'),
  error: z.string().nullable(),
};
