import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../../platform/config/resolve-platform.ts';
import type { AccessRules, KeyHolder } from '../../platform/http/access.ts';
import { refuseForeign } from '../../platform/http/foreign-requests.ts';

const dispatcher: KeyHolder = Object.freeze({
  kind: 'key',
  id: 'dispatcher',
  name: 'dispatcher',
  owner: null,
  scopes: ['inference' as const],
  limits: {},
});

/** With a secret, a pod serves only whoever sends it; without one, everybody but foreign web pages. */
export function podAccess({ secret, host }: { secret?: string | undefined; host: string }): AccessRules {
  if (secret === undefined) {
    const http = { allowed_hosts: [], cors_origins: [] };
    const refuse = refuseForeign({ host, auth: { open: isLoopback(host) }, http });
    return { authenticate: () => undefined, open: true, refuseForeign: refuse };
  }
  const expected = digest(secret);
  const authenticate = (key: string) => (timingSafeEqual(digest(key), expected) ? dispatcher : undefined);
  return { authenticate, open: false };
}

const digest = (text: string) => createHash('sha256').update(text).digest();
