import type { Clock } from '../../contracts/clock.ts';
import { type Budget, budgets, periodOf, places, type Used } from './budgets.ts';
import type { Bank } from './leases/bank.ts';
import type { LimitMemory } from './memory/limit-memory.ts';

interface Part {
  budget: number;
  period: number;
  amount: number;
}

/** What one request holds of its key's budgets until its end. */
export class Reservation {
  readonly row: number;
  readonly #key: string;
  readonly #memory: LimitMemory;
  readonly #clock: Clock;
  readonly #bank: Bank | undefined;
  #parts: Part[] = [];
  /** Whether everything was reserved, so that the request counts from now on. */
  #entered = false;

  constructor(key: string, row: number, memory: LimitMemory, clock: Clock, bank: Bank | undefined) {
    this.#key = key;
    this.row = row;
    this.#memory = memory;
    this.#clock = clock;
    this.#bank = bank;
  }

  hold(budget: number, period: number, amount: number): void {
    this.#parts.push({ budget, period, amount });
    if (budget === places) this.#memory.running.add(this.row, this.#memory.thread, 1);
  }

  /** As `hold`, for what the bank granted: it has counted the running request already. */
  holdDrawn(budget: number, period: number, amount: number): void {
    this.#parts.push({ budget, period, amount });
  }

  enter(): void {
    this.#entered = true;
  }

  /**
   * The request is over: what it used takes the place of the estimate. Requests stay counted, except those that ended
   * before their body was understood.
   */
  settle(used: Used) {
    if (!this.#entered) return this.cancel();
    const now = this.#clock.now();
    for (const { budget: index, period, amount } of this.#parts.splice(0)) {
      const budget = budgets[index] as Budget;
      if (budget.window === 'running') this.#giveBack(index, period, amount);
      else if (budget.unit !== 'requests') {
        const difference = wholeNumber(used[budget.unit]) - amount;
        this.#correct(index, period, periodOf(budget.window, now), difference);
      }
    }
  }

  /** The request was refused: nothing of it counts. */
  cancel(): void {
    for (const { budget, period, amount } of this.#parts.splice(0)) this.#giveBack(budget, period, amount);
  }

  #giveBack(index: number, period: number, amount: number): void {
    const { balances, running, thread } = this.#memory;
    if (index === places) running.add(this.row, thread, -1);
    balances.add(this.row, index, period, -amount);
    if (index === places) this.#bank?.settle({ key: this.#key, row: this.row, budget: index });
  }

  /** What goes beyond the estimate counts in the present period, what was estimated too high in the one it was taken from. */
  #correct(index: number, taken: number, present: number, difference: number): void {
    const { balances } = this.#memory;
    if (difference === 0) return;
    balances.add(this.row, index, difference > 0 ? present : taken, difference);
    if (this.#bank && balances.read(this.row, index).used > 0) {
      this.#bank.settle({ key: this.#key, row: this.row, budget: index });
    }
  }
}

/** What a pod reports may be any number. */
function wholeNumber(used: number | undefined): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(used ?? 0) || 0));
}

/** For callers that no budget holds for. */
export const unlimited: Pick<Reservation, 'settle'> = Object.freeze({ settle: () => undefined });
