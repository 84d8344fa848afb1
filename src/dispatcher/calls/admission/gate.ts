import type { Problem } from '../../../contracts/problems.ts';
import type { Caller } from '../../../platform/http/access.ts';
import type { Claim, Entrance, Place } from '../../../platform/metering/key-limits.ts';

/** Whose requests are counted and queued together. */
export interface ProxyCaller {
  /** The key's id, or a word for callers without one. */
  readonly id: string;
  /** Undefined until the caller is identified. */
  readonly caller?: Caller;
  /** Why a caller that is let in for bots may not use other models. */
  readonly onlyBots?: Problem | undefined;
}

/** Decides who may call, and how much. */
export interface Gate<C extends ProxyCaller = ProxyCaller> {
  /** The caller, by the Authorization header; throws a refusal. A worker may have to ask first. */
  identify(authorization: string | undefined): C | Promise<C>;
  /** Takes a place among the caller's parallel requests, before the body is read, or refuses. */
  begin(caller: C): Entrance | Promise<Entrance>;
  /** Reserves what a request may use, or refuses. It waits only for keys whose limits several processes share. */
  enter(caller: C, claim: Claim, begun: Place): Entrance | Promise<Entrance>;
}
