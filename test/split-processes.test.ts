import { afterEach, describe, expect, it } from 'vitest';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { startMockPod } from './testkit/pods/mock-pod.ts';
import { describeOnPostgres } from './testkit/stores/databases.ts';
import { until } from './testkit/until.ts';

const token = 'rh-0123456789012345678901234567890123456789';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function serve(part: string, env: Record<string, string> = {}): Promise<RunningPlatform> {
  const platform = await startPlatform({ args: ['--only', part], env });
  opened.push(platform.kill);
  return platform;
}

const post = (platform: RunningPlatform, path: string, body: unknown, key = token) =>
  fetch(platform.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const management = async (platform: RunningPlatform) => {
  const answer = await fetch(`${platform.url}/readyz`);
  return ((await answer.json()) as { parts: Record<string, unknown> }).parts.management;
};

/** Statuses of requests one after another with a new key. Each answer uses 15 tokens. */
async function statusesWith(
  { dispatcher, manager }: Record<'dispatcher' | 'manager', RunningPlatform>,
  limits: object,
  times: number,
): Promise<number[]> {
  const created = await post(manager, '/api/v1/keys/', { name: 'k', scopes: ['inference'], limits });
  const { key } = (await created.json()) as { key: string };
  const body = { model: 'mx', messages: [{ role: 'user', content: 'Hi' }] };
  const ask = async () => {
    const answer = await post(manager, '/api/v1/chat/completions', body, key);
    await answer.text();
    return answer.status;
  };
  // On a shared database the dispatcher learns of a new key within a second.
  await until('the key is known', async () => {
    const models = await fetch(`${dispatcher.url}/v1/models`, { headers: { authorization: key } });
    return models.status !== 401;
  });
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) statuses.push(await ask());
  return statuses;
}

const closed = { ROUNDHOUSE_AUTH_OPEN: 'false' };

/** Both processes, and a pod of model `mx`. */
async function startBoth(both: Record<string, string>, ofManagement: Record<string, string> = {}) {
  const pod = await startMockPod();
  opened.push(pod.kill);
  const dispatcher = await serve('dispatcher', { ROUNDHOUSE_PODS_TTL: '1h', ...both });
  await post(dispatcher, '/pods-info/', { pod_id: 'a', model_name: 'mx', pod_address: pod.url });
  const url = { ROUNDHOUSE_DISPATCHER_URL: dispatcher.url };
  const manager = await serve('management', { ...both, ...ofManagement, ...url });
  return { dispatcher, manager };
}

describe('dispatcher and management, each with its own SQLite database', () => {
  it("hold a caller to the limits of management's key", async () => {
    const env = { ...closed, ROUNDHOUSE_ADMIN_TOKEN: token };
    const { dispatcher, manager } = await startBoth({}, env);
    expect(await statusesWith({ dispatcher, manager }, { models: ['other'] }, 1)).toEqual([403]);
    expect(await statusesWith({ dispatcher, manager }, { tokens_per_month: 30 }, 3)).toEqual([200, 200, 429]);
    expect(await management(manager)).toEqual({ ready: true });
    expect(manager.output()).not.toContain(`${manager.url}/docs`);
    expect(dispatcher.output()).not.toContain('/api/docs');
  });
});

describeOnPostgres('dispatcher and management on one PostgreSQL database', (databases) => {
  it('count a request once', async () => {
    const url = { ROUNDHOUSE_DATABASE_URL: await databases.create() };
    const both = await startBoth({ ...closed, ...url, ROUNDHOUSE_ADMIN_TOKEN: token });
    expect(await statusesWith(both, { tokens_per_month: 30 }, 3)).toEqual([200, 200, 429]);
    expect(await management(both.manager)).toEqual({ ready: true });
  });

  it('without a common admin token: management says what is missing', async () => {
    const env = { ...closed, ROUNDHOUSE_DATABASE_URL: await databases.create() };
    const dispatcher = await serve('dispatcher', env);
    const manager = await serve('management', { ...env, ROUNDHOUSE_DISPATCHER_URL: dispatcher.url });
    const remedy = 'set the same ROUNDHOUSE_ADMIN_TOKEN for both processes';
    await until('it is refused', async () =>
      JSON.stringify(await management(manager)).includes('requires a key'),
    );
    expect(await management(manager)).toEqual({ ready: false, detail: expect.stringContaining(remedy) });
    expect(manager.output()).toContain(`this process has no key for the dispatcher: ${remedy}`);
    expect(manager.output()).not.toContain('admin-token');
  });

  it('with another database: management says so', async () => {
    const env = { ...closed, ROUNDHOUSE_ADMIN_TOKEN: token };
    const dispatcher = await serve('dispatcher', {
      ...env,
      ROUNDHOUSE_DATABASE_URL: await databases.create(),
    });
    const other = { ...env, ROUNDHOUSE_DATABASE_URL: await databases.create() };
    const manager = await serve('management', { ...other, ROUNDHOUSE_DISPATCHER_URL: dispatcher.url });
    expect(manager.output()).toContain('uses another database');
    expect(await management(manager)).toEqual({
      ready: false,
      detail: expect.stringContaining('set the same ROUNDHOUSE_DATABASE_URL for both processes'),
    });
  });

  it('with different admin tokens: the process that replaces the key warns', async () => {
    const env = { ...closed, ROUNDHOUSE_DATABASE_URL: await databases.create() };
    const first = await serve('dispatcher', { ...env, ROUNDHOUSE_ADMIN_TOKEN: token });
    expect(first.output()).not.toContain('another admin key');
    const other = { ...env, ROUNDHOUSE_ADMIN_TOKEN: 'another-admin-token' };
    const second = await serve('management', { ...other, ROUNDHOUSE_DISPATCHER_URL: first.url });
    await until('it warns', () => second.output().includes('the database had another admin key'));
  });
});

describe('management without a dispatcher', () => {
  it('says in its banner which one it misses', async () => {
    const manager = await serve('management', { ROUNDHOUSE_DISPATCHER_URL: 'http://127.0.0.1:2' });
    expect(manager.output()).toContain('Dispatcher      http://127.0.0.1:2\n');
    expect(manager.output()).toContain(
      "Not ready yet: the dispatcher can't be reached at http://127.0.0.1:2 (ECONNREFUSED)",
    );
    expect(manager.output()).not.toContain('fetch failed');
    const dispatcher = await serve('dispatcher');
    expect(dispatcher.output()).not.toContain('Dispatcher ');
  });
});
