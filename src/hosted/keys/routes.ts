import { z } from 'zod';
import { ApiKey, ApiKeyCreated } from '../../contracts/api-keys.ts';
import { Forbidden } from '../../contracts/problems.ts';
import { findKey } from '../../platform/auth/key-store.ts';
import type { KeyDependencies } from '../../platform/auth/keys/create-key.ts';
import { describeKey } from '../../platform/auth/keys/describe-keys.ts';
import { revokeKey } from '../../platform/auth/keys/revoke-key.ts';
import { rotateKey } from '../../platform/auth/keys/rotate-key.ts';
import type { Caller, KeyHolder } from '../../platform/http/access.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';

const tags = ['key'];

/** What holders of a key may do with it themselves. */
export function addOwnKeyRoutes(app: App, deps: KeyDependencies): void {
  app.get(
    '/hosted/v1/key',
    { schema: { tags, summary: 'Show the key of this request', response: { 200: ApiKey } } },
    async ({ caller }) => {
      const { id } = holder(caller);
      const key = await findKey(deps.database, id);
      if (!key) throw new Forbidden('this key no longer exists');
      return describeKey(key);
    },
  );
  app.post(
    '/hosted/v1/key/rotate',
    {
      schema: {
        tags,
        summary: 'Replace the secret of this key',
        description: 'The new secret is only shown in this response. The old one stops working immediately.',
        body: z.strictObject({}).nullish(),
        response: { 200: ApiKeyCreated },
      },
    },
    (request) => rotateKey(deps, actorOf(request), holder(request.caller).id),
  );
  app.delete(
    '/hosted/v1/key',
    { schema: { tags, summary: 'Revoke this key', response: { 200: ApiKey } } },
    (request) => revokeKey(deps, actorOf(request), holder(request.caller).id),
  );
}

/** Hosted routes are never open, so every caller has a key. */
function holder(caller: Caller): KeyHolder {
  if (caller.kind === 'key') return caller;
  throw new Forbidden('this call requires a key');
}
