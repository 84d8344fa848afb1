import type { Clock } from '../../contracts/clock.ts';
import type { Access } from '../../contracts/surfaces.ts';
import { type AccessRules, admit } from '../../platform/http/access.ts';
import type { Claim, KeyLimits, Place } from '../../platform/metering/key-limits.ts';
import type { Gate } from './context.ts';
import { type Verdict, Verdicts } from './verdicts.ts';

/** Admits callers by their keys and enforces their limits. `clock` must be monotonic. */
export class KeyGate implements Gate<Verdict> {
  readonly #verdicts: Verdicts;
  readonly #access: Access;
  readonly #rules: AccessRules;
  readonly #limits: KeyLimits;

  constructor(access: Access, rules: AccessRules, limits: KeyLimits, clock: Clock) {
    this.#access = access;
    this.#rules = rules;
    this.#limits = limits;
    this.#verdicts = new Verdicts(clock);
  }

  identify(authorization: string | undefined): Verdict {
    return (
      this.#verdicts.get(authorization) ??
      this.#verdicts.keep(authorization, admit(this.#access, authorization, this.#rules))
    );
  }

  begin({ caller }: Verdict) {
    return this.#limits.begin(caller);
  }

  enter({ caller }: Verdict, claim: Claim, begun: Place) {
    return this.#limits.enter(caller, claim, begun);
  }
}
