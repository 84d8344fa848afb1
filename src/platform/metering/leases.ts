import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../contracts/clock.ts';
import type { Session } from '../database/database.ts';
import type { Account, Bank, Draw, Drawn } from './bank.ts';
import { type Budget, budgets, firstOfMonth } from './budgets.ts';
import { beginQuota, leasePlaces, leaseQuota, type Quota, returnPlaces, returnQuota } from './lease-store.ts';
import type { LimitMemory } from './limit-memory.ts';
import type { Outage } from './outage.ts';

interface Waiter {
  draw: Draw;
  resolve(drawn: Drawn): void;
}

interface OpenAccount extends Account {
  waiting: Waiter[];
  /** While a statement for this account is under way; what comes meanwhile goes with the next. */
  busy: boolean;
  /** The period that is used up, and until when that is believed without asking again. */
  emptyPeriod: number;
  emptyUntil: number;
  /** The balance when it was last looked at: a lease that nothing is taken from goes back. */
  seen: number;
  /** The month that has its row. */
  begun: number;
}

export interface LeaseDependencies {
  database: Session;
  memory: LimitMemory;
  clock: Clock;
  outage: Outage;
  /** The name of this process in the database. */
  process: string;
}

/** Of what is left, one part in so many is leased ahead: with less than that left, nothing is. */
const share = 32;
/** How long an answer "used up" is believed: others may return what they leased. */
const emptyFor = 200;
/** A place that a caller's last request held may be on its way back. */
const placeRetryAfter = 50;

/** Leases quota from rows that all processes share. Requests that wait for the same account share one statement. */
export class Leases implements Bank {
  readonly #deps: LeaseDependencies;
  readonly #accounts = new Map<string, OpenAccount>();

  constructor(deps: LeaseDependencies) {
    this.#deps = deps;
  }

  draw(draw: Draw): Promise<Drawn> {
    const account = this.#accountOf(draw);
    if (account.emptyPeriod === draw.period && performance.now() < account.emptyUntil) {
      return Promise.resolve(0);
    }
    return new Promise((resolve) => {
      account.waiting.push({ draw, resolve });
      void this.#work(account);
    });
  }

  settle(account: Account): void {
    void this.#work(this.#accountOf(account));
  }

  /** Returns leases that were not touched since the last time, and reports what was used beyond them. */
  sweep(): void {
    for (const [name, account] of this.#accounts) {
      if (account.busy || account.waiting.length > 0) continue;
      const { used } = this.#deps.memory.balances.read(account.row, account.budget);
      if (used !== 0 && (used > 0 || used === account.seen)) void this.#work(account);
      // An account without a lease has nothing to remember but that it is used up.
      else if (used === 0 && performance.now() > account.emptyUntil) this.#accounts.delete(name);
      account.seen = used;
    }
  }

  /** Others have taken this process for dead and freed its places: those in use are taken again. */
  async retakePlaces(): Promise<void> {
    const { memory, database, process } = this.#deps;
    const budget = budgets.findIndex(({ window }) => window === 'running');
    for (const [key, row] of memory.rows.entries()) {
      const debt = memory.running.total(row);
      memory.balances.clear(row, budget);
      if (debt === 0) continue;
      const quota = quotaOf({ key, row, budget }, 0);
      await leasePlaces(database, { ...quota, limit: 0, wanted: 0, debt, share: 0 }, process);
    }
  }

  /** Gives back what is leased and not used. Requests have ended by now. */
  async close(): Promise<void> {
    for (let waits = 0; waits < 100 && this.#isBusy(); waits++) await delay(20);
    for (const account of this.#accounts.values()) await this.#balance(account).catch(() => undefined);
  }

  #isBusy(): boolean {
    for (const { busy } of this.#accounts.values()) if (busy) return true;
    return false;
  }

  #accountOf({ key, row, budget }: Account): OpenAccount {
    const name = `${budget} ${key}`;
    let account = this.#accounts.get(name);
    if (!account) {
      const empty = { emptyPeriod: -1, emptyUntil: 0, seen: 0, begun: -1 };
      account = { key, row, budget, waiting: [], busy: false, ...empty };
      this.#accounts.set(name, account);
    }
    return account;
  }

  async #work(account: OpenAccount): Promise<void> {
    if (account.busy) return;
    account.busy = true;
    try {
      do {
        if (account.waiting.length > 0) await this.#serve(account);
        else await this.#balance(account);
      } while (account.waiting.length > 0 || this.#isUnsettled(account));
    } catch {
      // The database is away, as `Outage` has logged; the balance is kept, and looked at again by `sweep`.
    } finally {
      account.busy = false;
    }
  }

  /** One statement for everybody who waits. */
  async #serve(account: OpenAccount): Promise<void> {
    const period = account.waiting[0]?.draw.period ?? 0;
    let batch = account.waiting.filter(({ draw }) => draw.period === period);
    account.waiting = account.waiting.filter(({ draw }) => draw.period !== period);
    const isPlaces = isRunning(account);
    for (let round = 0; batch.length > 0; round++) {
      if (round > 0) await delay(placeRetryAfter);
      const granted = await this.#lease(account, batch);
      if (granted === undefined) return;
      batch = this.#handOut(account, batch, granted);
      if (!isPlaces || round > 0) break;
    }
    if (batch.length > 0 && !isPlaces) {
      account.emptyPeriod = period;
      account.emptyUntil = performance.now() + emptyFor;
    }
    for (const { resolve } of batch) resolve(0);
  }

  /** What the batch may share, or undefined where the database is away and the batch has its answers. */
  async #lease(account: OpenAccount, batch: Waiter[]): Promise<number | undefined> {
    const { memory, outage } = this.#deps;
    const draw = (batch[0] as Waiter).draw;
    const balance = memory.balances.clear(account.row, account.budget);
    const own = balance.period === draw.period ? -balance.used : 0;
    const wanted = batch.reduce((sum, waiter) => sum + waiter.draw.wanted, 0) - Math.max(0, own);
    if (wanted <= 0) return own;
    const debt = Math.max(0, -own);
    try {
      const granted = await outage.ask(
        () => this.#leaseMore(account, draw, wanted, debt),
        // It came after all, too late for those who waited.
        (late) => memory.balances.add(account.row, account.budget, draw.period, -late - debt),
      );
      return Math.max(0, own) + granted;
    } catch {
      if (own !== 0) memory.balances.add(account.row, account.budget, draw.period, -own);
      for (const waiter of batch) waiter.resolve(this.#withoutDatabase(waiter.draw));
      return undefined;
    }
  }

  async #leaseMore(account: OpenAccount, draw: Draw, wanted: number, debt: number): Promise<number> {
    const { database, clock, process } = this.#deps;
    const quota = quotaOf(account, draw.period);
    const { window } = budgets[account.budget] as Budget;
    const lease = { ...quota, limit: draw.limit, wanted, debt };
    if (window === 'running') return leasePlaces(database, { ...lease, share: 0 }, process);
    if (window === 'month' && account.begun !== draw.period) {
      await beginQuota(database, quota, firstOfMonth(clock.now()));
      account.begun = draw.period;
    }
    return leaseQuota(database, { ...lease, share });
  }

  /** Gives the batch what was granted, in the order of arrival; returns those for whom nothing was left. */
  #handOut(account: OpenAccount, batch: Waiter[], granted: number): Waiter[] {
    let left = granted;
    const unserved: Waiter[] = [];
    for (const waiter of batch) {
      const amount = Math.min(waiter.draw.wanted, left);
      left -= amount;
      if (amount > 0) this.#grant(waiter, amount);
      else unserved.push(waiter);
    }
    const period = (batch[0] as Waiter).draw.period;
    if (left > 0) this.#deps.memory.balances.add(account.row, account.budget, period, -left);
    return unserved;
  }

  #grant({ draw, resolve }: Waiter, amount: number): void {
    if (isRunning(draw)) this.#deps.memory.running.add(draw.row, draw.thread, 1);
    resolve(amount);
  }

  /** For a while each process counts alone, by the whole limit; what it counts is paid when the database is back. */
  #withoutDatabase(draw: Draw): Drawn {
    if (!this.#deps.outage.inGrace()) return 'unavailable';
    const { balances, running } = this.#deps.memory;
    const amount = balances.take(draw.row, draw.budget, draw.period, draw.wanted, draw.limit);
    if (amount > 0 && isRunning(draw)) running.add(draw.row, draw.thread, 1);
    return amount;
  }

  /** Returns a lease that is not used, or charges what was used without one. */
  async #balance(account: OpenAccount): Promise<void> {
    const { database, memory, process, outage } = this.#deps;
    const { period, used } = memory.balances.clear(account.row, account.budget);
    if (used === 0) return;
    const quota = quotaOf(account, period);
    const keep = () => memory.balances.add(account.row, account.budget, period, used);
    try {
      await outage.ask(
        async () => {
          if (used > 0) {
            const lease = { ...quota, limit: 0, wanted: 0, debt: used, share: 0 };
            if (isRunning(account)) await leasePlaces(database, lease, process);
            else await leaseQuota(database, lease);
          } else if (isRunning(account)) await returnPlaces(database, quota, -used, process);
          else await returnQuota(database, quota, -used);
          // Late is as good: the balance was put back when nobody waited for it any more.
        },
        () => memory.balances.add(account.row, account.budget, period, -used),
      );
    } catch (error) {
      keep();
      throw error;
    }
  }

  #isUnsettled(account: OpenAccount): boolean {
    const { used } = this.#deps.memory.balances.read(account.row, account.budget);
    return used > 0 || (used < 0 && isRunning(account));
  }
}

function quotaOf({ key, budget }: Account, period: number): Quota {
  return { key, budget: (budgets[budget] as Budget).limit, period };
}

function isRunning({ budget }: Pick<Account, 'budget'>): boolean {
  return budgets[budget]?.window === 'running';
}
