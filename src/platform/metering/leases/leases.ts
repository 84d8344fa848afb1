import { setTimeout as delay } from 'node:timers/promises';
import { places } from '../budgets.ts';
import type { LimitMemory } from '../memory/limit-memory.ts';
import type { Account, Bank, Draw, Drawn } from './bank.ts';
import { isFault, type Outage } from './outage.ts';
import { isRunning, leaseMore, type QuotaDependencies, writeBalance } from './quotas.ts';

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

interface Dependencies extends QuotaDependencies {
  memory: LimitMemory;
  outage: Outage;
}

/** How long an answer "used up" is believed: others may return what they leased. */
const emptyFor = 200;
/** A place that a caller's last request held may be on its way back. */
const placeRetryAfter = 50;

/** Leases quota from rows that all processes share. Requests that wait for the same account share one statement. */
export class Leases implements Bank {
  readonly #deps: Dependencies;
  readonly #accounts = new Map<string, OpenAccount>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  draw(draw: Draw): Promise<Drawn> {
    const account = this.#accountOf(draw);
    if (account.emptyPeriod === draw.period && performance.now() < account.emptyUntil) {
      // Others have nothing left; what this process still holds of its lease is all there is.
      const { row, budget, period, wanted } = draw;
      return Promise.resolve(this.#deps.memory.balances.take(row, budget, period, wanted, 0));
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
      if (used !== 0 && (used > 0 || used === account.seen)) void this.#work(account, true);
      // An account without a lease has nothing to remember but that it is used up.
      else if (used === 0 && performance.now() > account.emptyUntil) this.#accounts.delete(name);
      account.seen = used;
    }
  }

  /** Others have taken this process for dead and freed its places: those in use are taken again. */
  async retakePlaces(): Promise<void> {
    const { memory } = this.#deps;
    for (const [key, row] of memory.rows.entries()) {
      const account = { key, row, budget: places };
      memory.balances.clear(row, places);
      const inUse = memory.running.total(row);
      if (inUse > 0) await writeBalance(this.#deps, account, 0, inUse);
    }
  }

  /** Gives back what is leased and not used. Requests have ended by now. */
  async close(): Promise<void> {
    for (let waits = 0; waits < 100 && this.#isBusy(); waits++) await delay(20);
    for (const account of this.#accounts.values()) await this.#balance(account);
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

  /** Serves whoever waits, then settles the balance; `idle` also returns a lease that could still be used. */
  async #work(account: OpenAccount, idle = false): Promise<void> {
    if (account.busy) return;
    account.busy = true;
    let settled = !idle && !this.#isUnsettled(account);
    while (account.waiting.length > 0 || !settled) {
      if (account.waiting.length > 0) {
        await this.#serve(account);
        settled = !this.#isUnsettled(account);
      } else {
        // Where the database is away the balance is kept, and `sweep` looks at it again.
        const written = await this.#balance(account);
        settled = !written || !this.#isUnsettled(account);
      }
    }
    account.busy = false;
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
        () => leaseMore(this.#deps, account, draw, wanted, debt),
        // It came after all, too late for those who waited.
        (late) => memory.balances.add(account.row, account.budget, draw.period, -late - debt),
      );
      return Math.max(0, own) + granted;
    } catch (error) {
      if (own !== 0) memory.balances.add(account.row, account.budget, draw.period, -own);
      for (const waiter of batch) {
        waiter.resolve(isFault(error) ? 'unavailable' : this.#withoutDatabase(waiter.draw));
      }
      return undefined;
    }
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

  /** Returns a lease that is not used, or charges what was used without one; false where that was not possible. */
  async #balance(account: OpenAccount): Promise<boolean> {
    const { row, budget } = account;
    const { balances } = this.#deps.memory;
    const { period, used } = balances.clear(row, budget);
    if (used === 0) return true;
    try {
      await this.#deps.outage.ask(
        () => writeBalance(this.#deps, account, period, used),
        () => balances.add(row, budget, period, -used),
      );
      return true;
    } catch {
      // Kept for the next time; where the statement succeeds late, it is taken away again above.
      balances.add(row, budget, period, used);
      return false;
    }
  }

  #isUnsettled(account: OpenAccount): boolean {
    const { used } = this.#deps.memory.balances.read(account.row, account.budget);
    return used > 0 || (used < 0 && isRunning(account));
  }
}
