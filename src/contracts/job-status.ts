import { z } from 'zod';

export const JobStatus = z
  .enum(['CREATED', 'RUNNING', 'FINISHED', 'FAILED', 'KILLED'])
  .meta({ id: 'JobStatus' });
export type JobStatus = z.infer<typeof JobStatus>;
