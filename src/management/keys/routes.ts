import { z } from 'zod';
import { ApiKey, ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { KeyRing } from '../../platform/auth/key-ring.ts';
import { createKey, describeKeys, revokeKey } from '../../platform/auth/manage-keys.ts';
import type { Database } from '../../platform/database/database.ts';
import type { App } from '../../platform/http/service.ts';

export interface KeyRoutesDependencies {
  database: Database;
  clock: Clock;
  ring: KeyRing;
}

/** Keys open everything else, so open mode does not open these. */
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
        summary: 'Make a key',
        description: 'The answer is the only one that shows it.',
        body: ApiKeyRequest,
        response: { 201: ApiKeyCreated },
      },
    },
    async (request, reply) => reply.code(201).send(await createKey(deps, request.body)),
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
    (request) => revokeKey(deps, request.params.key_id),
  );
}
