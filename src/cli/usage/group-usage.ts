import { addUsage, noUsage, type UsageCounts, type UsageOfDay } from '../../contracts/usage.ts';

export const groupings = ['day', 'key', 'model'] as const;
export type Grouping = (typeof groupings)[number];

export type GroupedUsage = UsageCounts & { key_name?: string | null } & Partial<Record<Grouping, string>>;

/** Adds up the rows of a report by day, key or model, in the order in which they first appear. */
export function groupUsage(rows: readonly UsageOfDay[], by: Grouping): GroupedUsage[] {
  const groups = new Map<string, GroupedUsage>();
  for (const row of rows) {
    const counts = addUsage(groups.get(row[by]) ?? noUsage, row);
    const name = by === 'key' ? { key_name: row.key_name } : {};
    groups.set(row[by], { [by]: row[by], ...name, ...counts });
  }
  return [...groups.values()];
}
