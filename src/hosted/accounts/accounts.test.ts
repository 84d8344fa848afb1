import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { platformActor } from '../../contracts/actor.ts';
import { createKey } from '../../platform/auth/keys/create-key.ts';
import { hostedService } from '../hosted-service.ts';

let test: BuiltTestApp;
let admin: string;

type Registration = 'open' | 'approval' | 'closed';
const nothingServed = {
  inference: { bots: async () => [], models: async () => ({ object: 'list', data: [] }) },
  served: { surface: { rename() {}, answer() {}, remove() {} }, aliases: () => new Map() },
};
const limits = { requests_per_minute: 60 };

async function open(registration: Registration, perHour = 10, inAll = 200): Promise<void> {
  const settings = {
    registration,
    registrations_per_hour: perHour,
    registrations_per_hour_in_all: inAll,
    limits,
    aliases: {},
  };
  test = await buildTestApp((deps) => [hostedService({ ...deps, ...nothingServed, settings })]);
  const request = { name: 'admin', scopes: ['admin' as const], limits: {} };
  admin = (await createKey(test.deps, platformActor('test'), request)).key;
}
beforeEach(() => open('approval'));
afterEach(() => test.close());

async function call(method: 'GET' | 'POST' | 'DELETE', url: string, key?: string, payload?: object) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const answer = await test.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}
const register = (email: string, extra = {}) =>
  call('POST', '/hosted/v1/register', undefined, { email, ...extra });

describe('POST /hosted/v1/register', () => {
  it('201 with a key that works once an administrator approves it', async () => {
    const { status, body } = await register('Anna@Example.com', { name: 'Анна' });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ email: 'anna@example.com', name: 'Анна', status: 'pending' }),
    ]);
    const refused = await call('GET', '/hosted/v1/key', body.key);
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      'this key does not work until an administrator has approved it',
    ]);
    const approved = await call('POST', `/api/v1/accounts/${body.id}/approve`, admin);
    expect([approved.status, approved.body.status, approved.body.key.limits]).toEqual([
      200,
      'active',
      limits,
    ]);
    expect(await call('GET', '/hosted/v1/key', body.key)).toMatchObject({
      status: 200,
      body: { owner: 'anna@example.com', scopes: ['inference'], pending: false },
    });
    expect(await call('POST', `/api/v1/accounts/${body.id}/approve`, admin)).toMatchObject({ status: 409 });
  });

  it('works at once where registration is open, and not at all where it is closed', async () => {
    await test.close();
    await open('open');
    const { body } = await register('b@example.com');
    expect(body.status).toBe('active');
    expect((await call('GET', '/hosted/v1/key', body.key)).status).toBe(200);
    await test.close();
    await open('closed');
    expect(await register('b@example.com')).toMatchObject({
      status: 403,
      body: { error: { message: 'registration is closed: ask an administrator for a key' } },
    });
  });

  it('409 for an address that has an account, of two at once too; nothing of the second is left', async () => {
    const both = await Promise.all([register('c@example.com'), register('C@example.com')]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await call('GET', '/api/v1/accounts/', admin)).body).toHaveLength(1);
  });

  it('422 without an e-mail address, with a wrong one, with unknown fields', async () => {
    for (const payload of [{}, { email: 'nobody' }, { email: 'a@b.co', scopes: ['admin'] }]) {
      const answer = await call('POST', '/hosted/v1/register', undefined, payload);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
  });

  it('429 with Retry-After after too many attempts in an hour', async () => {
    await test.close();
    await open('approval', 2);
    expect((await register('a@example.com')).status).toBe(201);
    expect((await register('a@example.com')).status).toBe(409);
    const third = await register('other@example.com');
    expect(third.status).toBe(429);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('an address that is over its own limit does not use up the limit of all', async () => {
    await test.close();
    await open('approval', 2, 3);
    const from = (remoteAddress: string, email: string) =>
      test.app.inject({ method: 'POST', url: '/hosted/v1/register', remoteAddress, payload: { email } });
    for (const at of [1, 2, 3, 4, 5]) await from('10.0.0.1', `a${at}@example.com`);
    expect((await from('10.0.0.2', 'b@example.com')).statusCode).toBe(201);
    expect((await from('10.0.0.3', 'c@example.com')).statusCode).toBe(429);
  });

  it('400 for a name that the audit log uses for other actors', async () => {
    for (const name of ['platform', 'Anonymous', 'platform: update'])
      expect((await register('a@example.com', { name })).status).toBe(400);
    expect((await register('a@example.com', { name: 'constructor' })).status).toBe(201);
  });
});

describe('the accounts of administrators', () => {
  it('are listed with their keys, without secrets, and closed with their keys', async () => {
    const { body } = await register('d@example.com');
    const pending = await call('GET', '/api/v1/accounts/?status=pending', admin);
    expect(pending.body).toMatchObject([{ id: body.id, status: 'pending', key: { pending: true } }]);
    expect(JSON.stringify(pending.body)).not.toContain(body.key);
    const limited = { limits: { tokens_per_month: 5 } };
    await call('POST', `/api/v1/accounts/${body.id}/approve`, admin, limited);
    expect((await call('GET', '/hosted/v1/key', body.key)).body.limits).toEqual(limited.limits);
    expect(await call('DELETE', `/api/v1/accounts/${body.id}`, admin)).toMatchObject({
      status: 200,
      body: { status: 'closed', key: { revoked_at: expect.any(String) } },
    });
    expect((await call('GET', '/hosted/v1/key', body.key)).status).toBe(401);
    expect((await call('DELETE', `/api/v1/accounts/${body.id}`, admin)).status).toBe(409);
  });

  it('need the admin scope; 404 for unknown ones', async () => {
    expect((await call('GET', '/api/v1/accounts/')).status).toBe(401);
    const { key } = await createKey(test.deps, platformActor('test'), {
      name: 'caller',
      scopes: ['inference'],
      limits: {},
    });
    expect((await call('GET', '/api/v1/accounts/', key)).status).toBe(403);
    expect((await call('POST', '/api/v1/accounts/none/approve', admin)).status).toBe(404);
  });
});

describe('/hosted/v1/key', () => {
  it('is rotated and revoked by its holder', async () => {
    await test.close();
    await open('open');
    const { body } = await register('e@example.com');
    const rotated = await call('POST', '/hosted/v1/key/rotate', body.key);
    expect(rotated).toMatchObject({ status: 200, body: { key: expect.stringMatching(/^rh-/), limits } });
    expect((await call('GET', '/hosted/v1/key', body.key)).status).toBe(401);
    expect((await call('GET', '/hosted/v1/key', rotated.body.key)).body.id).toBe(rotated.body.id);
    expect((await call('DELETE', '/hosted/v1/key', rotated.body.key)).status).toBe(200);
    expect((await call('GET', '/hosted/v1/key', rotated.body.key)).status).toBe(401);
  });
});
