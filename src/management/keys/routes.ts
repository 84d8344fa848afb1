import { z } from 'zod';
import { ApiKey, ApiKeyChanges, ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { KeyRing } from '../../platform/auth/key-ring.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { describeKeys } from '../../platform/auth/keys/describe-keys.ts';
import { revokeKey } from '../../platform/auth/keys/revoke-key.ts';
import { rotateKey } from '../../platform/auth/keys/rotate-key.ts';
import { updateKey } from '../../platform/auth/keys/update-key.ts';
import type { Database } from '../../platform/database/database.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';

export interface KeyRoutesDependencies {
  database: Database;
  clock: Clock;
  ring: KeyRing;
}

/** A new key can give access to everything, so these routes need a key in open mode too. */
const access = { scope: 'admin', openable: false } as const;
const tags = ['keys'];
const params = z.object({ key_id: z.string() });

export function addKeyRoutes(app: App, deps: KeyRoutesDependencies): void {
  app.get(
    '/api/v1/keys/',
    { config: { access }, schema: { tags, summary: 'List keys', response: { 200: z.array(ApiKey) } } },
    () => describeKeys(deps),
  );
  app.post(
    '/api/v1/keys/',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Create a key',
        description: 'The key itself is only shown in this response.',
        body: ApiKeyRequest,
        response: { 201: ApiKeyCreated },
      },
    },
    async (request, reply) => reply.code(201).send(await createKey(deps, actorOf(request), request.body)),
  );
  app.delete(
    '/api/v1/keys/:key_id',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Revoke a key',
        params,
        response: { 200: ApiKey },
      },
    },
    (request) => revokeKey(deps, actorOf(request), request.params.key_id),
  );
  app.patch(
    '/api/v1/keys/:key_id',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Change a key',
        description: 'Its name, owner, scopes, expiry or limits. It takes effect for the next request.',
        params,
        body: ApiKeyChanges,
        response: { 200: ApiKey },
      },
    },
    (request) => updateKey(deps, actorOf(request), { id: request.params.key_id, changes: request.body }),
  );
  app.post(
    '/api/v1/keys/:key_id/rotate',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Replace the secret of a key',
        description: 'Limits and usage stay. The old secret stops working immediately.',
        params,
        response: { 200: ApiKeyCreated },
      },
    },
    (request) => rotateKey(deps, actorOf(request), request.params.key_id),
  );
}
