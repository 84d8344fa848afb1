import { sql } from 'kysely';
import type { Session } from '../../database/database.ts';

/** A budget's row in the database. */
export interface Quota {
  key: string;
  budget: string;
  period: number;
}

interface Lease extends Quota {
  limit: number;
  wanted: number;
  /** What was used without a lease; it counts whether or not anything is left. */
  debt: number;
  /** Of what is left, one part in so many is leased ahead; 0: no more than is wanted. */
  share: number;
}

/**
 * Takes from a quota in one statement, so that no two processes can take the same units: the row is locked while its
 * new count is computed. Returns how much was granted.
 */
export async function leaseQuota({ query }: Session, lease: Lease): Promise<number> {
  const { key, budget, period, debt } = lease;
  const granted = grantOf(lease, sql`key_quotas.used`);
  const { rows } = await sql<{ granted: number }>`
    insert into key_quotas (key, budget, period, used, granted)
    values (${key}, ${budget}, ${period}, ${number(debt)} + ${grantOf(lease, sql`0`)}, ${grantOf(lease, sql`0`)})
    on conflict (key, budget, period) do update
    set used = key_quotas.used + ${number(debt)} + ${granted}, granted = ${granted}
    returning granted`.execute(query);
  return Number(rows[0]?.granted ?? 0);
}

/** As `leaseQuota`, for parallel requests: which process holds how many places is noted in the same statement. */
export async function leasePlaces({ query }: Session, lease: Lease, process: string): Promise<number> {
  const { key, budget, period, debt } = lease;
  const granted = grantOf(lease, sql`key_quotas.used`);
  const { rows } = await sql<{ granted: number }>`
    with leased as (
      insert into key_quotas (key, budget, period, used, granted)
      values (${key}, ${budget}, ${period}, ${number(debt)} + ${grantOf(lease, sql`0`)}, ${grantOf(lease, sql`0`)})
      on conflict (key, budget, period) do update
      set used = key_quotas.used + ${number(debt)} + ${granted}, granted = ${granted}
      returning granted
    ), held as (
      insert into key_places (process, key, places)
      select ${process}, ${key}, granted + ${number(debt)} from leased
      on conflict (process, key) do update set places = key_places.places + excluded.places
    )
    select granted from leased`.execute(query);
  return Number(rows[0]?.granted ?? 0);
}

export async function returnQuota({ query }: Session, quota: Quota, amount: number): Promise<void> {
  await query
    .updateTable('key_quotas')
    .set({ used: sql`greatest(0, used - ${number(amount)})` })
    .where('key', '=', quota.key)
    .where('budget', '=', quota.budget)
    .where('period', '=', quota.period)
    .execute();
}

/** Gives places back, as far as the process still holds them: they may have been taken back by others. */
export async function returnPlaces(
  { query }: Session,
  quota: Quota,
  amount: number,
  process: string,
): Promise<void> {
  await sql`
    with held as (
      update key_places set places = places - ${number(amount)}
      where process = ${process} and key = ${quota.key} and places >= ${number(amount)}
      returning key
    )
    update key_quotas set used = greatest(0, used - ${number(amount)})
    where key in (select key from held) and budget = ${quota.budget} and period = ${quota.period}`.execute(
    query,
  );
}

/** Begins a month's row with what `usage_days` knows of it, where there is none yet. */
export async function beginQuota(
  { query }: Session,
  quota: Quota,
  unit: 'tokens' | 'pages',
  firstDay: string,
): Promise<void> {
  const used = unit === 'pages' ? sql`pages` : sql`prompt_tokens + completion_tokens`;
  await sql`
    insert into key_quotas (key, budget, period, used, granted)
    select ${quota.key}, ${quota.budget}, ${number(quota.period)},
      coalesce(sum(${used}), 0), 0
    from usage_days where key = ${quota.key} and day >= ${firstDay}
    on conflict (key, budget, period) do nothing`.execute(query);
}

/** Removes the rows of periods that are over for every clock. */
export async function forgetQuotas({ query }: Session, budget: string, before: number): Promise<void> {
  await query.deleteFrom('key_quotas').where('budget', '=', budget).where('period', '<', before).execute();
}

/** wanted + (left - wanted) / share, but no more than what is left. */
function grantOf({ limit, wanted, debt, share }: Lease, used: ReturnType<typeof sql>) {
  const left = sql`greatest(0, ${number(limit)} - ${used} - ${number(debt)})`;
  if (wanted === 0) return sql`${number(0)}`;
  if (share === 0) return sql`least(${left}, ${number(wanted)})`;
  return sql`least(${left}, ${number(wanted)} + greatest(0, ${left} - ${number(wanted)}) / ${number(share)})`;
}

/** Sums of several requests may exceed what both JavaScript and the database count exactly. */
const number = (value: number) =>
  sql`cast(${Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value))} as bigint)`;
