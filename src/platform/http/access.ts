import type { ApiKeyLimits, Scope } from '../../contracts/api-keys.ts';
import { Forbidden, Unauthenticated } from '../../contracts/problems.ts';
import type { Access } from '../../contracts/surfaces.ts';
import type { RefuseForeign } from './foreign-requests.ts';

/** The holder of a key that is known, unexpired and not revoked. */
export interface KeyHolder {
  kind: 'key';
  id: string;
  name: string;
  owner: string | null;
  scopes: readonly Scope[];
  limits: ApiKeyLimits;
}

/** Who is calling. Anonymous callers exist on public routes and in open mode. */
export type Caller = { kind: 'anonymous' } | KeyHolder;

export const anonymous: Caller = { kind: 'anonymous' };

/** Looks a presented key up in memory: no input or output on the way of a request. */
export type Authenticate = (key: string) => KeyHolder | undefined;

export interface AccessRules {
  authenticate: Authenticate;
  /** Whether callers without a key are let in where the route allows it. */
  open: boolean;
  /** Refuses what foreign web pages make a browser send. Absent where nothing of that kind can arrive. */
  refuseForeign?: RefuseForeign;
}

/** The caller of a request, or a refusal. `authorization` is the header as it came. */
export function admit(access: Access, authorization: string | undefined, rules: AccessRules): Caller {
  const presented = keyIn(authorization);
  const caller = presented === undefined ? undefined : rules.authenticate(presented);
  if (access === 'public') return caller ?? anonymous;
  // In open mode an unknown key counts as none: OpenAI's clients insist on sending one.
  if (!caller || !allows(caller.scopes, access.scope)) {
    if (rules.open && access.openable) return caller ?? anonymous;
    if (caller) throw new Forbidden(`this key lacks the scope '${access.scope}'`);
    throw new Unauthenticated(
      presented === undefined
        ? 'this call needs a key: send it as "Authorization: Bearer <key>"'
        : 'the key in the Authorization header is not known, has expired or was revoked',
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  }
  return caller;
}

/** `Bearer <key>`, or the bare key that published client examples send. */
export function keyIn(authorization: string | undefined): string | undefined {
  const text = authorization?.trim();
  if (!text) return undefined;
  return /^bearer\s+/i.test(text) ? text.replace(/^bearer\s+/i, '') : text;
}

/** `admin` includes every scope, `index` includes `index:read`. */
export function allows(scopes: readonly Scope[], wanted: Scope): boolean {
  if (scopes.includes('admin') || scopes.includes(wanted)) return true;
  return wanted === 'index:read' && scopes.includes('index');
}
