import { afterEach, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { platformActor } from '../../contracts/actor.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { revokeKey } from '../../platform/auth/keys/revoke-key.ts';
import { addEventRoutes } from './routes.ts';

let built: BuiltTestApp;
afterEach(() => built.close());

it('GET /api/v1/events ends when its key is revoked', async () => {
  built = await buildTestApp(
    ({ queue }) => [
      {
        name: 'events',
        title: 'Events',
        description: 'Events',
        surfaces: [],
        access: { scope: 'admin', openable: true },
        routes: (app) => addEventRoutes(app, { queue, pods: { onChange: () => () => {} } }),
      },
    ],
    false,
  );
  const actor = platformActor('test');
  const { id, key } = await createKey(built.deps, actor, { name: 'k', scopes: ['admin'], limits: {} });
  const url = `${await built.app.listen({ port: 0, host: '127.0.0.1' })}/api/v1/events`;
  expect((await fetch(url)).status).toBe(401);
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  await revokeKey(built.deps, actor, id);
  expect(await response.text()).toContain(': listening');
});
