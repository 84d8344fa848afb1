import type { Clock } from '../../../contracts/clock.ts';
import { InvalidInput } from '../../../contracts/problems.ts';
import type { AdminUsageQuery, UsageReport } from '../../../contracts/usage.ts';
import { listKeys } from '../../auth/key-store.ts';
import type { Session } from '../../database/database.ts';
import { firstOfMonth } from '../budgets.ts';
import { listUsage } from './usage-store.ts';

export interface UsageDependencies {
  database: Session;
  clock: Clock;
}

const nothing = { requests: 0, failures: 0, prompt_tokens: 0, completion_tokens: 0, pages: 0 };

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
  const total = days.reduce((sum, row) => add(sum, row), nothing);
  return { from, to, total, days };
}

type Counts = typeof nothing;

const add = (sum: Counts, row: Counts): Counts => ({
  requests: sum.requests + row.requests,
  failures: sum.failures + row.failures,
  prompt_tokens: sum.prompt_tokens + row.prompt_tokens,
  completion_tokens: sum.completion_tokens + row.completion_tokens,
  pages: sum.pages + row.pages,
});
