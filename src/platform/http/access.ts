import type { ApiKeyLimits, Scope } from '../../contracts/api-keys.ts';
import { Forbidden, Unauthenticated } from '../../contracts/problems.ts';
import type { Access } from '../../contracts/surfaces.ts';
import type { RefuseForeign } from './foreign-requests.ts';

/** The holder of a valid key: known, not expired and not revoked. */
export interface KeyHolder {
  kind: 'key';
  id: string;
  name: string;
  owner: string | null;
  scopes: readonly Scope[];
  limits: ApiKeyLimits;
  /** It awaits approval: known, and without any scope until then. */
  pending?: boolean;
}

/** Who is calling. Anonymous callers exist on public routes and in open mode. */
export type Caller = { kind: 'anonymous' } | KeyHolder;

export const anonymous: Caller = { kind: 'anonymous' };

/** Looks up a key in memory, so that requests need no I/O for it. */
export type Authenticate = (key: string) => KeyHolder | undefined;

export interface AccessRules {
  authenticate: Authenticate;
  /** Open mode: whether callers without a key may use routes that allow it. */
  open: boolean;
  /** Refuses what foreign web pages make a browser send. Absent where nothing of that kind can arrive. */
  refuseForeign?: RefuseForeign;
}

/** Returns the caller of a request, or throws. `authorization` is the raw header. */
export function admit(access: Access, authorization: string | undefined, rules: AccessRules): Caller {
  const presented = keyIn(authorization);
  const caller = presented === undefined ? undefined : rules.authenticate(presented);
  if (access === 'public') return caller ?? anonymous;
  // In open mode an unknown key is ignored, because OpenAI's clients always send one.
  if (!caller || !fits(caller.scopes, access)) {
    if (rules.open && access.openable) return caller ?? anonymous;
    if (caller?.pending) throw new Forbidden('this key does not work until an administrator has approved it');
    if (caller) throw new Forbidden(`this key does not have the scope '${access.scope}'`);
    throw new Unauthenticated(
      presented === undefined
        ? 'this call requires a key: send it as "Authorization: Bearer <key>"'
        : 'the key in the Authorization header is unknown, expired or revoked',
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  }
  return caller;
}

const fits = (scopes: readonly Scope[], { scope, or }: Exclude<Access, 'public'>) =>
  allows(scopes, scope) || (or !== undefined && allows(scopes, or));

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
