import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

describe('several workers on one port', () => {
  const token = 'rh-0123456789012345678901234567890123456789';
  let platform: RunningPlatform;
  let pod: MockPod;

  beforeAll(async () => {
    pod = await startMockPod();
    platform = await startPlatform({
      args: ['--only', 'dispatcher,management'],
      env: {
        ROUNDHOUSE_DISPATCHER_WORKERS: '3',
        ROUNDHOUSE_ADMIN_TOKEN: token,
        ROUNDHOUSE_AUTH_OPEN: 'false',
        ROUNDHOUSE_QUEUE_TIMEOUT: '10s',
      },
    });
  });
  afterAll(async () => {
    expect(await platform.stop()).toBe(0);
    await pod.kill();
  });

  // A connection of its own each time, so that the kernel spreads them over the workers.
  const post = (path: string, body?: unknown, key = token) =>
    fetch(platform.url + path, {
      method: 'POST',
      headers: {
        connection: 'close',
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const chat = (key?: string) => post('/v1/chat/completions', { model: 'mock', messages: [] }, key);

  it('all of them know the pods, at once and when they are gone', async () => {
    await post('/pods-info/', { pod_id: 'a', model_name: 'mock', pod_address: pod.url });
    const answers = await Promise.all(Array.from({ length: 30 }, () => chat()));
    expect(answers.map((answer) => answer.status)).toEqual(new Array(30).fill(200));
    const workers = new Set(answers.map((answer) => answer.headers.get('x-request-id')?.slice(0, 20)));
    expect(workers.size).toBeGreaterThan(1);
    await post('/pods-info/', { pod_id: 'a', dead: true });
    await until('nobody asks it', async () => (await chat()).status === 503);
    await post('/pods-info/', { pod_id: 'a' });
  });

  it('pass on what is not theirs, with and without a body', async () => {
    expect(await (await post('/pods-info/')).json()).toHaveLength(1);
    const models = await fetch(`${platform.url}/v1/models`, { headers: { authorization: token } });
    expect(await models.json()).toMatchObject({ data: [{ id: 'mock' }] });
    expect((await fetch(`${platform.url}/v1/chat/completions`)).status).toBe(405);
  });

  it('refuse unknown keys, and hold a key to its limits together', async () => {
    expect((await chat('rh-nobody')).status).toBe(401);
    const created = await post('/api/v1/keys/', {
      name: 'limited',
      scopes: ['inference'],
      limits: { requests_per_minute: 5 },
    });
    const { key } = (await created.json()) as { key: string };
    const statuses: number[] = [];
    for (let n = 0; n < 15; n++) statuses.push((await chat(key)).status);
    // The minute may turn once on the way.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(10);
    expect(statuses).toContain(429);
  });

  it('hold a pod to its limit together, and let those in line have their turn', async () => {
    await post('/pods-info/', { pod_id: 'a', max_connections: 2 });
    let [running, most] = [0, 0];
    pod.answer = (_request, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      }, 20);
    };
    const answers = await Promise.all(Array.from({ length: 24 }, () => chat()));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('count together', async () => {
    await until('the counts have come together', async () => {
      const text = await (
        await fetch(`${platform.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
      ).text();
      return Number(/requests_total\{model="mock",outcome="200"\} (\d+)/.exec(text)?.[1] ?? 0) >= 55;
    });
  });
});
