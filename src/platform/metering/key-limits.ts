import type { ApiKeyLimits } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Problem } from '../../contracts/problems.ts';
import type { Caller, KeyHolder } from '../http/access.ts';
import { mayUseModel } from './allowed-models.ts';
import { type Budget, budgets, firstOfBody, periodOf, type Used } from './budgets.ts';
import type { Bank, Draw, Drawn } from './leases/bank.ts';
import type { LimitMemory } from './memory/limit-memory.ts';
import { limitsUnavailable, modelNotAllowed, overLimit } from './refusals.ts';
import { Reservation, unlimited } from './reservation.ts';

/** What a request asks for: a model, and an estimate of what it will use. */
export interface Claim extends Used {
  /** As the caller named it. */
  readonly model?: string;
  /** What that name stands for on the surface that was called. */
  readonly served?: string;
}

export type Place = Pick<Reservation, 'settle'>;
export type Entrance = Place | Problem;

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

  /**
   * Counts a request whose body is not known yet: among the parallel ones and those of the minute. The result is passed
   * to `enter`, or settled, which gives everything back. `unit` is what its body will be counted in.
   */
  begin(caller: Caller, unit: 'tokens' | 'pages' = 'tokens'): Entrance | Promise<Entrance> {
    if (caller.kind !== 'key' || !hasBudget(caller.limits)) return unlimited;
    const reservation = this.#reservationOf(caller);
    const refusal = this.#refusalAhead(caller, reservation.row, unit);
    return refusal ?? this.#take(caller, {}, reservation, 0, firstOfBody);
  }

  /** Reserves what a request may use. `begun` is what `begin` returned, where it was called. */
  enter(caller: Caller, claim: Claim, begun?: Place): Entrance | Promise<Entrance> {
    if (caller.kind !== 'key') return unlimited;
    if (claim.model !== undefined && !mayUseModel(caller, claim.model, claim.served)) {
      begun?.settle({});
      return modelNotAllowed(claim.model);
    }
    if (begun instanceof Reservation) return this.#take(caller, claim, begun, firstOfBody);
    if (!hasBudget(caller.limits)) return unlimited;
    return this.#take(caller, claim, this.#reservationOf(caller), 0);
  }

  #reservationOf({ id }: KeyHolder): Reservation {
    return new Reservation(id, this.#memory.rows.of(id), this.#memory, this.#clock, this.#bank);
  }

  /** Whether a budget of this unit is used up already. A lease of this process says nothing about that. */
  #refusalAhead(caller: KeyHolder, row: number, unit: Budget['unit']): Problem | undefined {
    if (this.#bank) return undefined;
    const now = this.#clock.now();
    for (let index = firstOfBody; index < budgets.length; index++) {
      const budget = budgets[index] as Budget;
      const limit = caller.limits[budget.limit];
      if (limit == null || budget.unit !== unit) continue;
      const { period, used } = this.#memory.balances.read(row, index);
      if (period === periodOf(budget.window, now) && used >= limit) return overLimit(budget, limit, now);
    }
    return undefined;
  }

  /** Takes from the budgets `first` to `end`, without the latter. */
  #take(
    caller: KeyHolder,
    claim: Claim,
    reservation: Reservation,
    first: number,
    end = budgets.length,
  ): Entrance | Promise<Entrance> {
    const now = this.#clock.now();
    for (let index = first; index < end; index++) {
      const budget = budgets[index] as Budget;
      const limit = caller.limits[budget.limit];
      if (limit == null || !isCounted(budget, claim)) continue;
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
        return this.#bank
          .draw(draw)
          .then((drawn) => this.#goOn(caller, claim, reservation, draw, drawn, end));
      } else return this.#refuse(reservation, overLimit(budget, limit, now));
    }
    if (end === budgets.length) reservation.enter();
    return reservation;
  }

  #goOn(caller: KeyHolder, claim: Claim, reservation: Reservation, draw: Draw, drawn: Drawn, end: number) {
    const { budget, period, limit } = draw;
    if (drawn === 'unavailable') return this.#refuse(reservation, limitsUnavailable());
    if (drawn === 0) {
      return this.#refuse(reservation, overLimit(budgets[budget] as Budget, limit, this.#clock.now()));
    }
    reservation.holdDrawn(budget, period, drawn);
    return this.#take(caller, claim, reservation, budget + 1, end);
  }

  #refuse(reservation: Reservation, problem: Problem): Problem {
    reservation.cancel();
    return problem;
  }
}

/** A request is counted in pages if it names some, else in tokens. */
function isCounted({ unit }: Budget, { pages }: Claim): boolean {
  return unit === 'requests' || (unit === 'pages') === (pages !== undefined);
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
