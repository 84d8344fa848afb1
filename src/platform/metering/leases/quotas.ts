import type { Clock } from '../../../contracts/clock.ts';
import type { Session } from '../../database/database.ts';
import { type Budget, budgets, firstOfMonth, places } from '../budgets.ts';
import type { Account, Draw } from './bank.ts';
import { beginQuota, leasePlaces, leaseQuota, type Quota, returnPlaces, returnQuota } from './lease-store.ts';

export interface QuotaDependencies {
  database: Session;
  clock: Clock;
  /** The name of this process in the database. */
  process: string;
}

/** Of what is left, one part in so many is leased ahead: with less than that left, nothing is. */
const share = 32;

/** Leases what is wanted and, of a rate, a little ahead; charges a debt in the same statement. */
export async function leaseMore(
  { database, clock, process }: QuotaDependencies,
  account: Account & { begun: number },
  { period, limit }: Draw,
  wanted: number,
  debt: number,
): Promise<number> {
  const quota = quotaOf(account, period);
  const lease = { ...quota, limit, wanted, debt };
  if (isRunning(account)) return leasePlaces(database, { ...lease, share: 0 }, process);
  const { window, unit } = budgets[account.budget] as Budget;
  if (window === 'month' && unit !== 'requests' && account.begun !== period) {
    await beginQuota(database, quota, unit, firstOfMonth(clock.now()));
    account.begun = period;
  }
  return leaseQuota(database, { ...lease, share });
}

/** Returns a lease (a balance below zero), or charges what was used without one. */
export async function writeBalance(
  { database, process }: QuotaDependencies,
  account: Account,
  period: number,
  used: number,
): Promise<void> {
  const quota = quotaOf(account, period);
  if (used < 0) {
    if (isRunning(account)) await returnPlaces(database, quota, -used, process);
    else await returnQuota(database, quota, -used);
    return;
  }
  const lease = { ...quota, limit: 0, wanted: 0, debt: used, share: 0 };
  if (isRunning(account)) await leasePlaces(database, lease, process);
  else await leaseQuota(database, lease);
}

export function isRunning({ budget }: Pick<Account, 'budget'>): boolean {
  return budget === places;
}

function quotaOf({ key, budget }: Account, period: number): Quota {
  return { key, budget: (budgets[budget] as Budget).limit, period };
}
