import type { Clock } from '../../../contracts/clock.ts';
import type { AccessRules } from '../../../platform/http/access.ts';
import type { Claim, KeyLimits, Place } from '../../../platform/metering/key-limits.ts';
import { type AdmittingSurface, admitToSurface } from './admit-to-surface.ts';
import type { Gate } from './gate.ts';
import { type Verdict, Verdicts } from './verdicts.ts';

/** Admits callers by their keys and enforces their limits. `clock` must be monotonic. */
export class KeyGate implements Gate<Verdict> {
  readonly #verdicts: Verdicts;
  readonly #surface: AdmittingSurface;
  readonly #rules: AccessRules;
  readonly #limits: KeyLimits;

  constructor(surface: AdmittingSurface, rules: AccessRules, limits: KeyLimits, clock: Clock) {
    this.#surface = surface;
    this.#rules = rules;
    this.#limits = limits;
    this.#verdicts = new Verdicts(clock);
  }

  identify(authorization: string | undefined): Verdict {
    const known = this.#verdicts.get(authorization);
    if (known) return known;
    const { caller, onlyBots } = admitToSurface(this.#surface, authorization, this.#rules);
    return this.#verdicts.keep(authorization, caller, onlyBots);
  }

  begin({ caller }: Verdict) {
    return this.#limits.begin(caller);
  }

  enter({ caller }: Verdict, claim: Claim, begun: Place) {
    return this.#limits.enter(caller, claim, begun);
  }
}
