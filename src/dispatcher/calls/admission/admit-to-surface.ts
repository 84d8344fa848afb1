import { Forbidden, type Problem } from '../../../contracts/problems.ts';
import type { InferenceSurface } from '../../../contracts/surfaces.ts';
import { type AccessRules, admit, type Caller } from '../../../platform/http/access.ts';

export type AdmittingSurface = Pick<InferenceSurface, 'access' | 'bots'>;

export interface Admitted {
  caller: Caller;
  /** Set for a key that may use bots and nothing else here: the refusal of all other models. */
  onlyBots?: Problem | undefined;
}

/** Which model is wanted is not known yet, so a key that may only read bots is let in and refused later, if need be. */
export function admitToSurface(
  { access, bots = false }: AdmittingSurface,
  authorization: string | undefined,
  rules: AccessRules,
): Admitted {
  try {
    return { caller: admit(access, authorization, rules) };
  } catch (refusal) {
    if (!bots || !(refusal instanceof Forbidden)) throw refusal;
    const reader = readerOf(authorization, rules);
    if (!reader) throw refusal;
    return { caller: reader, onlyBots: refusal };
  }
}

function readerOf(authorization: string | undefined, rules: AccessRules): Caller | undefined {
  try {
    return admit({ scope: 'index:read', openable: false }, authorization, rules);
  } catch {
    return undefined;
  }
}
