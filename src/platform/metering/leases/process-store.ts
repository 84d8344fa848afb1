import { sql } from 'kysely';
import type { Session } from '../../database/database.ts';

/** By the clock of the database: those of the machines may differ. */
const now = sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** Says that a process is alive; false where it was not known, because it is new or others have given it up. */
export async function renewProcess({ query }: Session, id: string, lifetime: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    insert into metering_processes (id, expires_at) values (${id}, ${now} + cast(${lifetime} as bigint))
    on conflict (id) do update set expires_at = excluded.expires_at
    returning (xmax <> 0) as known`.execute(query);
  return rows[0]?.known ?? false;
}

/** Takes back the places of processes that were not renewed in time. */
export async function freeDeadProcesses({ query }: Session, budget: string): Promise<void> {
  await sql`
    with dead as (delete from metering_processes where expires_at < ${now} returning id),
    freed as (
      delete from key_places
      where process in (select id from dead) or process not in (select id from metering_processes)
      returning key, places
    ), ${restored(budget)}`.execute(query);
}

/** Gives back everything that a process holds. */
export async function freeProcess({ query }: Session, id: string, budget: string): Promise<void> {
  await sql`
    with gone as (delete from metering_processes where id = ${id}),
    freed as (delete from key_places where process = ${id} returning key, places),
    ${restored(budget)}`.execute(query);
}

function restored(budget: string) {
  return sql`sums as (select key, sum(places) as places from freed group by key)
    update key_quotas set used = greatest(0, key_quotas.used - sums.places)
    from sums where key_quotas.key = sums.key and key_quotas.budget = ${budget}`;
}
