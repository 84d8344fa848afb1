import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeyRequest } from '../../src/contracts/api-keys.ts';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { describeOnPostgres } from '../testkit/stores/databases.ts';
import { until } from '../testkit/until.ts';

const token = 'rh-0123456789012345678901234567890123456789';

function post(platform: RunningPlatform, path: string, body: unknown, key = token): Promise<Response> {
  // A connection per request, so that the kernel spreads them over the workers.
  const headers = { connection: 'close', authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(platform.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function chat(platform: RunningPlatform, key: string): Promise<number> {
  const response = await post(platform, '/v1/chat/completions', { model: 'mock', messages: [] }, key);
  await response.text();
  return response.status;
}

async function keyWith(platform: RunningPlatform, limits: ApiKeyRequest['limits']): Promise<string> {
  const created = await post(platform, '/api/v1/keys/', { name: 'limited', scopes: ['inference'], limits });
  return ((await created.json()) as { key: string }).key;
}

async function startWith(pod: MockPod, env: Record<string, string>): Promise<RunningPlatform> {
  const platform = await startPlatform({
    args: ['--only', 'dispatcher,management'],
    env: { ROUNDHOUSE_ADMIN_TOKEN: token, ROUNDHOUSE_AUTH_OPEN: 'false', ROUNDHOUSE_PODS_TTL: '1h', ...env },
  });
  await post(platform, '/pods-info/', { pod_id: 'a', model_name: 'mock', pod_address: pod.url });
  return platform;
}

const count = (statuses: number[], wanted: number) => statuses.filter((status) => status === wanted).length;

describe('four workers', () => {
  let pod: MockPod;
  let platform: RunningPlatform;
  beforeAll(async () => {
    pod = await startMockPod();
    platform = await startWith(pod, { ROUNDHOUSE_DISPATCHER_WORKERS: '4' });
  });
  afterAll(async () => {
    await platform.stop();
    await pod.kill();
  });

  it('let exactly 50 of a burst of 200 through', async () => {
    const key = await keyWith(platform, { requests_per_minute: 50 });
    await awayFromMinuteEnd(20);
    const statuses = await Promise.all(Array.from({ length: 200 }, () => chat(platform, key)));
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([50, 150]);
  });
});

describeOnPostgres('two platforms on one PostgreSQL, one of them with workers', (databases) => {
  let pod: MockPod;
  let platforms: [RunningPlatform, RunningPlatform];
  beforeAll(async () => {
    pod = await startMockPod();
    const env = { ROUNDHOUSE_DATABASE_URL: await databases.create() };
    platforms = [
      await startWith(pod, env),
      await startWith(pod, { ...env, ROUNDHOUSE_DISPATCHER_WORKERS: '2' }),
    ];
  });
  afterEach(() => {
    pod.answer = (_request, response) => void response.end('{}');
  });
  afterAll(async () => {
    for (const platform of platforms ?? []) await platform.kill();
    await pod.kill();
  });

  const known = (key: string) =>
    until('both know the key', async () => (await chat(platforms[1], key)) !== 401);

  it('20 requests per minute are 20 in total', async () => {
    pod.answer = (_request, response) => void response.end('{}');
    await awayFromMinuteEnd(20);
    const key = await keyWith(platforms[0], { requests_per_minute: 20 });
    await known(key);
    const requests = Array.from({ length: 60 }, (_, n) => chat(platforms[n % 2 ? 1 : 0], key));
    const statuses = await Promise.all(requests);
    // One has shown that the key is known.
    expect([count(statuses, 200) + 1, count(statuses, 429)]).toEqual([20, 41]);
  });

  it('parallel requests hold for both, and a killed platform frees its places', async () => {
    const key = await keyWith(platforms[0], { parallel_requests: 2 });
    await known(key);
    const finish: (() => void)[] = [];
    pod.answer = (_request, response) => void finish.push(() => response.end('{}'));
    const lost = chat(platforms[0], key).catch(() => 0);
    const second = chat(platforms[1], key);
    await until('both run', () => finish.length === 2);
    expect([await chat(platforms[0], key), await chat(platforms[1], key)]).toEqual([429, 429]);
    await platforms[0].kill();
    await lost;
    const third = until('its place is free', async () => (await chat(platforms[1], key)) === 200);
    await until('the third runs', () => finish.length === 3);
    expect(await chat(platforms[1], key)).toBe(429);
    for (const end of finish) end();
    expect(await second).toBe(200);
    await third;
  });
});
