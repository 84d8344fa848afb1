import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { SlotEntry } from './deployments.ts';
import { Job } from './jobs.ts';

const Space = z.object({ free_bytes: z.int(), total_bytes: z.int() });

export const BotCounts = z.object({
  ready: z.int(),
  creating: z.int(),
  failed: z.int(),
  empty: z.int(),
});
export type BotCounts = z.infer<typeof BotCounts>;

/** The platform at a glance, for operators. */
export const PlatformStatus = z
  .object({
    version: z.string(),
    address: z.string().nullable().describe('The address that the process listens on'),
    started_at: Timestamp,
    slots: z.array(SlotEntry),
    pods: z.array(
      z.object({
        pod_id: z.string(),
        model: z.string().nullable(),
        adapters: z.array(z.string()),
        task: z.string().nullable(),
        engine: z.string().nullable(),
        address: z.string().nullable(),
        live: z.boolean().describe('Whether the dispatcher sends requests to it'),
        running_requests: z.int(),
      }),
    ),
    pods_problem: z.string().nullable().describe('Why the pods are not known at the moment'),
    jobs: z.array(Job).describe('Jobs that have not ended, newest first'),
    bots: BotCounts.nullable().describe(
      'Number of bots by status; null where neither the document index nor the chatbot runs in this process',
    ),
    disk: Space.extend({ folder: z.string().describe('The data folder') }),
    memory: Space,
    gpus: z.array(
      z.object({
        name: z.string(),
        memory_used_bytes: z.int(),
        memory_total_bytes: z.int(),
        utilization: z.number().describe('0 to 1'),
      }),
    ),
  })
  .meta({ id: 'PlatformStatus' });
export type PlatformStatus = z.infer<typeof PlatformStatus>;
