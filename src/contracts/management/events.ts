import { z } from 'zod';
import { PodRecord } from '../dispatcher/pods.ts';
import { Job } from './jobs.ts';

/** A server-sent event of `GET /v1/events`: the record after the change. */
export const PlatformEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('job'), job: Job }),
    z.object({ type: z.literal('pod'), pod: PodRecord }),
  ])
  .meta({ id: 'PlatformEvent' });
export type PlatformEvent = z.infer<typeof PlatformEvent>;
