import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { platformActor } from '../../contracts/actor.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { storePodKey } from '../../platform/auth/keys/pod-keys.ts';
import { managementService } from '../management-service.ts';

const actor = platformActor('test');
let test: BuiltTestApp;
let admin: string;
beforeEach(async () => {
  test = await buildTestApp((deps) => [managementService(deps)]);
  admin = (await createKey(test.deps, actor, { name: 'admin', scopes: ['admin'], limits: {} })).key;
});
afterEach(() => test.close());

const call = async (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  payload?: object,
  key = admin,
) => {
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

  it('422 with short reasons for dates, an expiry in the past, reserved names and __proto__', async () => {
    const reasonOf = async (changes: object | string) => {
      const request = { name: 'x', scopes: ['inference'] };
      const payload =
        typeof changes === 'string'
          ? `{"name":"x","scopes":["inference"],${changes}}`
          : JSON.stringify({ ...request, ...changes });
      const answer = await test.app.inject({
        method: 'POST',
        url: '/api/v1/keys/',
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        payload,
      });
      return [answer.statusCode, answer.json().detail?.[0]?.msg];
    };
    const date = 'Value error, must be a date and time with an offset, such as 2027-01-31T18:00:00Z';
    expect(await reasonOf({ expires_at: 'tomorrow' })).toEqual([422, date]);
    const past = [422, 'Value error, must be in the future'];
    expect(await reasonOf({ expires_at: '2020-01-01T00:00:00Z' })).toEqual(past);
    const scopes = "Input should be 'admin', 'inference', 'index', 'index:read' or 'pods'";
    expect(await reasonOf({ scopes: ['root'] })).toEqual([422, scopes]);
    expect(await reasonOf({ name: 'PLATFORM' })).toEqual([422, expect.stringContaining('must not be')]);
    const extra = [422, 'Extra inputs are not permitted'];
    expect(await reasonOf('"__proto__":{"scopes":["admin"]}')).toEqual(extra);
    expect(await reasonOf('"limits":{"_\\u005fproto__" : 1}')).toEqual(extra);
    expect((await reasonOf({ name: 'about "__proto__": it' }))[0]).toBe(201);
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

describe('PATCH /api/v1/keys/{key_id}', () => {
  it('changes what is given, for the next request; 422, 404 and 409 where it must not', async () => {
    const request = { name: 'other', scopes: ['inference' as const], limits: {} };
    const { key, id } = await createKey(test.deps, actor, request);
    expect((await call('GET', '', undefined, key)).status).toBe(403);
    const limits = { requests_per_minute: 5 };
    const changes = { scopes: ['admin'], limits, expires_at: '2999-01-01T00:00:00Z' };
    expect(await call('PATCH', id, changes)).toMatchObject({
      status: 200,
      body: { name: 'other', scopes: ['admin'], limits, expires_at: '2999-01-01T00:00:00.000Z' },
    });
    expect((await call('GET', '', undefined, key)).status).toBe(200);
    expect((await call('PATCH', id, { expires_at: null })).body.expires_at).toBeNull();
    for (const wrong of [{}, { expires_at: '2020-01-01T00:00:00Z' }, { hash: 'x' }, { scopes: [] }]) {
      expect((await call('PATCH', id, wrong)).status).toBe(422);
    }
    expect((await call('PATCH', 'none', { name: 'x' })).status).toBe(404);
    await call('DELETE', id);
    expect((await call('PATCH', id, { name: 'x' })).status).toBe(409);
  });
});

describe('POST /api/v1/keys/{key_id}/rotate', () => {
  it('replaces the secret and keeps the key', async () => {
    const request = { name: 'other', scopes: ['admin' as const], limits: { parallel_requests: 3 } };
    const { key, id } = await createKey(test.deps, actor, request);
    const { status, body } = await call('POST', `${id}/rotate`);
    expect([status, body.id, body.limits]).toEqual([200, id, request.limits]);
    expect((await call('GET', '', undefined, key)).status).toBe(401);
    expect((await call('GET', '', undefined, body.key)).status).toBe(200);
    await call('DELETE', id);
    expect((await call('POST', `${id}/rotate`)).status).toBe(409);
    expect((await call('POST', 'none/rotate')).status).toBe(404);
  });

  it('409 for the key of a pod that the platform started, which would stop reporting', async () => {
    const key = `rh-${'p'.repeat(40)}`;
    await storePodKey(test.deps, actor, { podId: 'a', key });
    expect((await call('POST', 'pod:a/rotate')).status).toBe(409);
    expect((await call('PATCH', 'pod:a', { scopes: ['admin'] })).status).toBe(409);
    expect((await call('DELETE', 'pod:a')).status).toBe(409);
    expect((await call('GET', '', undefined, key)).status).toBe(403);
  });
});
