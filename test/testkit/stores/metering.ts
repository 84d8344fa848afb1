import type { ApiKeyLimits } from '../../../src/contracts/api-keys.ts';
import { Problem } from '../../../src/contracts/problems.ts';
import type { Caller } from '../../../src/platform/http/access.ts';
import type { Claim, Entrance, KeyLimits } from '../../../src/platform/metering/key-limits.ts';

type Held = Exclude<Entrance, Problem>;

/** The holder of a key with these limits. */
export function holder(limits: ApiKeyLimits, id = 'key-1'): Caller {
  return { kind: 'key', id, name: id, owner: null, scopes: ['inference'], limits };
}

/** Enters, and returns the reservation or the status of the refusal. */
export async function enter(limits: KeyLimits, caller: Caller, claim: Claim = {}): Promise<Held | number> {
  const entrance = await limits.enter(caller, claim);
  return entrance instanceof Problem ? entrance.status : entrance;
}

/** Enters or throws. */
export async function mustEnter(limits: KeyLimits, caller: Caller, claim: Claim = {}): Promise<Held> {
  const entrance = await enter(limits, caller, claim);
  if (typeof entrance === 'number') throw new Error(`refused with ${entrance}`);
  return entrance;
}

/** How many of so many that come at once get in. */
export async function burst(limits: KeyLimits, caller: Caller, count: number): Promise<number> {
  const entrances = await Promise.all(Array.from({ length: count }, () => enter(limits, caller)));
  return entrances.filter((entrance) => typeof entrance !== 'number').length;
}
