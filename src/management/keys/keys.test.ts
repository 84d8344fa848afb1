import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { platformActor } from '../../contracts/actor.ts';
import { createKey } from '../../platform/auth/create-key.ts';
import { managementService } from '../management-service.ts';

const actor = platformActor('test');
let test: BuiltTestApp;
let admin: string;
beforeEach(async () => {
  test = await buildTestApp((deps) => [managementService(deps)]);
  admin = (await createKey(test.deps, actor, { name: 'admin', scopes: ['admin'], limits: {} })).key;
});
afterEach(() => test.close());

const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, key = admin) => {
  const answer = await test.app.inject({
    method,
    url: `/api/v1/keys/${path}`,
    headers: { authorization: `Bearer ${key}` },
    ...(payload ? { payload } : {}),
  });
  return { status: answer.statusCode, body: answer.json() };
};

describe('POST /api/v1/keys/', () => {
  it('201 with the key, which works and is never listed', async () => {
    const { status, body } = await call('POST', '', { name: 'портал', scopes: ['admin'] });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ name: 'портал', key: expect.stringMatching(/^rh-[A-Za-z0-9]{40}$/) }),
    ]);
    const listed = await call('GET', '', undefined, body.key);
    expect(listed.status).toBe(200);
    expect(JSON.stringify(listed.body)).not.toContain(body.key);
  });

  it('422 without a scope, with an unknown one, with an unknown field', async () => {
    for (const payload of [
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['root'] },
      { name: 'x', scopes: ['admin'], colour: 1 },
    ]) {
      expect(await call('POST', '', payload)).toMatchObject({
        status: 422,
        body: { detail: [expect.objectContaining({ loc: expect.arrayContaining(['body']) })] },
      });
    }
  });

  it('401 without a key, in open mode too; 403 without the admin scope', async () => {
    expect((await test.app.inject('/api/v1/keys/')).statusCode).toBe(401);
    const { key } = await createKey(test.deps, actor, { name: 'caller', scopes: ['inference'], limits: {} });
    expect(await call('GET', '', undefined, key)).toMatchObject({
      status: 403,
      body: { detail: "this key does not have the scope 'admin'" },
    });
  });
});

describe('DELETE /api/v1/keys/{key_id}', () => {
  it('revokes immediately; 409 the second time; 404 unknown', async () => {
    const { key, id } = await createKey(test.deps, actor, { name: 'other', scopes: ['admin'], limits: {} });
    expect(await call('DELETE', id)).toMatchObject({
      status: 200,
      body: { id, revoked_at: expect.any(String) },
    });
    expect(await call('GET', '', undefined, key)).toMatchObject({ status: 401 });
    expect(await call('DELETE', id)).toMatchObject({ status: 409 });
    expect(await call('DELETE', 'none')).toMatchObject({ status: 404 });
  });
});
