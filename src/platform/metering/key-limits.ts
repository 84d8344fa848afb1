import type { ApiKeyLimits } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Problem } from '../../contracts/problems.ts';
import type { Caller, KeyHolder } from '../http/access.ts';
import { mayUseModel } from './allowed-models.ts';
import { type Budget, budgets, periodOf, type Used } from './budgets.ts';
import type { Bank, Draw, Drawn } from './leases/bank.ts';
import type { LimitMemory } from './limit-memory.ts';
import { limitsUnavailable, modelNotAllowed, overLimit } from './refusals.ts';
import { Reservation, unlimited } from './reservation.ts';

/** What a request asks for: a model, and an estimate of what it will use. */
export interface Claim extends Used {
  readonly model?: string;
}

export type Entrance = Pick<Reservation, 'settle'> | Problem;

/**
 * Limits per key. `enter` reserves what a request may use, `settle` on what it returns replaces the estimate by what was
 * used. Without a bank this process counts alone, and `enter` never waits.
 */
export class KeyLimits {
  readonly #memory: LimitMemory;
  readonly #clock: Clock;
  readonly #bank: Bank | undefined;

  constructor(memory: LimitMemory, clock: Clock, bank?: Bank) {
    this.#memory = memory;
    this.#clock = clock;
    this.#bank = bank;
  }

  enter(caller: Caller, claim: Claim): Entrance | Promise<Entrance> {
    if (caller.kind !== 'key') return unlimited;
    if (claim.model !== undefined && !mayUseModel(caller, claim.model)) return modelNotAllowed(claim.model);
    if (!hasBudget(caller.limits)) return unlimited;
    const row = this.#memory.rows.of(caller.id);
    const reservation = new Reservation(caller.id, row, this.#memory, this.#clock, this.#bank);
    return this.#take(caller, claim, reservation, 0);
  }

  /** Takes from the budgets beginning with the given one. */
  #take(
    caller: KeyHolder,
    claim: Claim,
    reservation: Reservation,
    first: number,
  ): Entrance | Promise<Entrance> {
    const now = this.#clock.now();
    for (let index = first; index < budgets.length; index++) {
      const budget = budgets[index] as Budget;
      const limit = caller.limits[budget.limit];
      if (limit == null) continue;
      const period = periodOf(budget.window, now);
      const wanted = budget.unit === 'requests' ? 1 : estimateOf(claim[budget.unit], limit);
      // Leased quota is a balance below zero; a lease that is too small says nothing about what others have left.
      const [ceiling, least] = this.#bank ? [0, wanted] : [limit, 1];
      const taken = this.#memory.balances.take(reservation.row, index, period, wanted, ceiling, least);
      if (taken > 0) reservation.hold(index, period, taken);
      else if (this.#bank) {
        const { row } = reservation;
        const { thread } = this.#memory;
        const draw = { key: caller.id, row, budget: index, period, limit, wanted, thread };
        return this.#bank.draw(draw).then((drawn) => this.#goOn(caller, claim, reservation, draw, drawn));
      } else return this.#refuse(reservation, overLimit(budget, limit, now));
    }
    return reservation;
  }

  #goOn(caller: KeyHolder, claim: Claim, reservation: Reservation, draw: Draw, drawn: Drawn) {
    const { budget, period, limit } = draw;
    if (drawn === 'unavailable') return this.#refuse(reservation, limitsUnavailable());
    if (drawn === 0) {
      return this.#refuse(reservation, overLimit(budgets[budget] as Budget, limit, this.#clock.now()));
    }
    reservation.holdDrawn(budget, period, drawn);
    return this.#take(caller, claim, reservation, budget + 1);
  }

  #refuse(reservation: Reservation, problem: Problem): Problem {
    reservation.cancel();
    return problem;
  }
}

/** Callers choose what estimates are made of, such as `max_tokens`: never more than the limit, and a whole number. */
function estimateOf(claimed: number | undefined, limit: number): number {
  return Math.min(limit, Math.max(1, Math.ceil(claimed ?? 0) || 1));
}

/** Whether anything is counted for a key with these limits. */
export function hasBudget(limits: ApiKeyLimits): boolean {
  for (const { limit } of budgets) if (limits[limit] != null) return true;
  return false;
}
