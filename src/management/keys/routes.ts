import { z } from 'zod';
import { ApiKey, ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import { createKey } from '../../platform/auth/create-key.ts';
import { describeKeys } from '../../platform/auth/describe-keys.ts';
import type { KeyRing } from '../../platform/auth/key-ring.ts';
import { revokeKey } from '../../platform/auth/revoke-key.ts';
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
        params: z.object({ key_id: z.string() }),
        response: { 200: ApiKey },
      },
    },
    (request) => revokeKey(deps, actorOf(request), request.params.key_id),
  );
}
