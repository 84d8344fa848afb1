import type { Clock } from '../../../contracts/clock.ts';
import { InvalidInput } from '../../../contracts/problems.ts';
import { type AdminUsageQuery, addUsage, noUsage, type UsageReport } from '../../../contracts/usage.ts';
import { listKeys } from '../../auth/key-store.ts';
import type { Session } from '../../database/database.ts';
import { firstOfMonth } from '../budgets.ts';
import { listUsage } from './usage-store.ts';

export interface UsageDependencies {
  database: Session;
  clock: Clock;
}

/** Usage by day, key and model, with its total. What was used in the last seconds may not be included yet. */
export async function reportUsage(
  { database, clock }: UsageDependencies,
  query: AdminUsageQuery,
): Promise<UsageReport> {
  const now = clock.now();
  const { from = firstOfMonth(now), to = new Date(now).toISOString().slice(0, 10) } = query;
  if (from > to) {
    const msg = 'Value error, must not be later than `to`';
    throw new InvalidInput([{ loc: ['query', 'from'], msg, type: 'value_error' }]);
  }
  const rows = await listUsage(database, { ...query, from, to });
  const names = new Map((await listKeys(database)).map(({ id, name }) => [id, name]));
  const days = rows.map((row) => ({ ...row, key_name: names.get(row.key) ?? null }));
  const total = days.reduce(addUsage, noUsage);
  return { from, to, total, days };
}
