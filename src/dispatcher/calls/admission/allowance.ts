import { Problem } from '../../../contracts/problems.ts';
import type { Claim, Entrance, Place } from '../../../platform/metering/key-limits.ts';
import { unlimited } from '../../../platform/metering/reservation.ts';
import type { Gate, ProxyCaller } from './gate.ts';

/** A request's share of its key's limits: a place from its head on, and tokens once its body is understood. */
export class Allowance {
  #place: Place | undefined;
  #settled = false;

  claim(gate: Gate, caller: ProxyCaller, claim: Claim): Entrance | Promise<Entrance> {
    return gate.enter(caller, claim, this.#place ?? unlimited);
  }

  /** Takes what the gate granted, and returns its refusal otherwise. */
  take(entrance: Entrance): Problem | undefined {
    if (entrance instanceof Problem) return entrance;
    // The request ended in the meantime.
    if (this.#settled) entrance.settle({});
    else this.#place = entrance;
    return undefined;
  }

  /** Replaces what was reserved by what was used. */
  settle(tokens = 0): void {
    this.#settled = true;
    this.#place?.settle({ tokens });
  }
}
