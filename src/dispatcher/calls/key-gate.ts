import type { Clock } from '../../contracts/clock.ts';
import type { Access } from '../../contracts/surfaces.ts';
import { type AccessRules, admit, type Caller } from '../../platform/http/access.ts';
import type { Claim, KeyLimits, Place } from '../../platform/metering/key-limits.ts';
import type { Gate, ProxyCaller } from './context.ts';

/** How long a verdict on a header is believed. A key that is revoked must stop working within a second. */
const trustFor = 500;
const mostRemembered = 10_000;

interface Verdict extends ProxyCaller {
  caller: Caller;
  until: number;
}

/** Admits callers by their keys and holds them to their limits. Verdicts are remembered: hashing a key costs time. */
export class KeyGate implements Gate<Verdict> {
  readonly #verdicts = new Map<string, Verdict>();
  readonly #access: Access;
  readonly #rules: AccessRules;
  readonly #limits: KeyLimits;
  readonly #clock: Clock;

  constructor(access: Access, rules: AccessRules, limits: KeyLimits, clock: Clock) {
    this.#access = access;
    this.#rules = rules;
    this.#limits = limits;
    this.#clock = clock;
  }

  identify(authorization: string | undefined): Verdict {
    const header = authorization ?? '';
    const known = this.#verdicts.get(header);
    const now = this.#clock.now();
    if (known && now < known.until) return known;
    const caller = admit(this.#access, authorization, this.#rules);
    const verdict = { caller, id: caller.kind === 'key' ? caller.id : 'anonymous', until: now + trustFor };
    if (this.#verdicts.size >= mostRemembered) this.#verdicts.clear();
    this.#verdicts.set(header, verdict);
    return verdict;
  }

  begin({ caller }: Verdict) {
    return this.#limits.begin(caller);
  }

  enter({ caller }: Verdict, claim: Claim, begun: Place) {
    return this.#limits.enter(caller, claim, begun);
  }
}
