import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { JobStatus } from '../job-status.ts';

/** Which pod's latest run is read or interrupted. */
export const RunQuery = z.object({ pod_id: z.string().min(1) });
export type RunQuery = z.infer<typeof RunQuery>;

/** What the records of speed and quality runs share. */
export const runFields = {
  id: z.uuid(),
  pod_id: z.string(),
  status: JobStatus,
  started_at: Timestamp,
  finished_at: Timestamp.nullable(),
  progress: z.object({ done: z.int().min(0), total: z.int().min(0) }),
  reports: z
    .object({ md: z.string().nullish(), csv: z.string().nullish(), pdf: z.string().nullish() })
    .describe('Where each report that was made can be read'),
  error: z.string().nullable(),
};
