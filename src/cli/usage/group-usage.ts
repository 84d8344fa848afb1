import type { UsageOfDay, UsageReport } from '../../contracts/usage.ts';

export const groupings = ['day', 'key', 'model'] as const;
export type Grouping = (typeof groupings)[number];

type Counts = UsageReport['total'];
export type GroupedUsage = Counts & { key_name?: string | null } & Partial<Record<Grouping, string>>;

/** Adds up the rows of a report by day, key or model, in the order in which they first appear. */
export function groupUsage(rows: readonly UsageOfDay[], by: Grouping): GroupedUsage[] {
  const groups = new Map<string, GroupedUsage>();
  for (const row of rows) {
    const group = groups.get(row[by]);
    const name = by === 'key' ? { key_name: row.key_name } : {};
    groups.set(row[by], { [by]: row[by], ...name, ...(group ? sum(group, row) : countsOf(row)) });
  }
  return [...groups.values()];
}

const countsOf = ({ requests, failures, prompt_tokens, completion_tokens, pages }: Counts): Counts => ({
  requests,
  failures,
  prompt_tokens,
  completion_tokens,
  pages,
});

const sum = (one: Counts, other: Counts): Counts => ({
  requests: one.requests + other.requests,
  failures: one.failures + other.failures,
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  completion_tokens: one.completion_tokens + other.completion_tokens,
  pages: one.pages + other.pages,
});
