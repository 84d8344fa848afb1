import { z } from 'zod';

const Day = z.iso.date({ error: 'must be a day, such as 2027-01-31' });

/** Days are in UTC, both ends included. Default: the current month so far. */
export const UsageQuery = z.strictObject({
  from: Day.optional(),
  to: Day.optional(),
  model: z.string().min(1).max(512).optional(),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

export const AdminUsageQuery = UsageQuery.extend({
  key: z.string().min(1).max(256).optional().describe('Id of a key'),
});
export type AdminUsageQuery = z.infer<typeof AdminUsageQuery>;

const counts = {
  requests: z.int(),
  failures: z.int().describe('Requests that failed; they are included in `requests`'),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  pages: z.int().describe('Pages of documents'),
};

export const UsageOfDay = z
  .object({
    day: z.string(),
    key: z.string().describe('Id of the key, or `anonymous`'),
    key_name: z.string().nullable(),
    model: z.string(),
    ...counts,
  })
  .meta({ id: 'UsageOfDay' });
export type UsageOfDay = z.infer<typeof UsageOfDay>;

export const UsageReport = z
  .object({ from: z.string(), to: z.string(), total: z.object(counts), days: z.array(UsageOfDay) })
  .meta({ id: 'UsageReport' });
export type UsageReport = z.infer<typeof UsageReport>;

export type UsageCounts = UsageReport['total'];

export const noUsage: UsageCounts = {
  requests: 0,
  failures: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  pages: 0,
};

export const addUsage = (one: UsageCounts, other: UsageCounts): UsageCounts => ({
  requests: one.requests + other.requests,
  failures: one.failures + other.failures,
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  completion_tokens: one.completion_tokens + other.completion_tokens,
  pages: one.pages + other.pages,
});
