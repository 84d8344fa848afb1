import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { chatAnswer, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

describe('when all pods are busy', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;
  /** Lets the request that the pod holds go, oldest first. */
  let letGo: (() => void)[];

  beforeEach(async () => {
    letGo = [];
    pod = await startMockPod((_request, response) => {
      letGo.push(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(chatAnswer));
      });
    });
  });
  afterEach(async () => {
    await dispatcher.close();
    await pod.kill();
  });

  async function start(queue: Record<string, unknown>, closed = false) {
    dispatcher = await startDispatcher({ config: { queue }, closed });
    const headers = closed ? { authorization: `Bearer ${await adminKey()}` } : {};
    await fetch(`${dispatcher.url}/pods-info/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ pod_id: 'a', model_name: 'mock', pod_address: pod.url, max_connections: 1 }),
    });
  }
  const adminKey = async () => (await dispatcher.key({}, ['admin'])).key;
  const waiting = async (count: number) =>
    until(`${count} wait`, async () =>
      new RegExp(`roundhouse_dispatcher_waiting ${count}\\n`).test(await dispatcher.metrics()),
    );
  const held = (count: number) => until(`the pod has ${count}`, () => letGo.length === count);

  it('requests wait their turn, keys taking turns', async () => {
    await start({ size: 10 }, true);
    const [greedy, modest] = [(await dispatcher.key()).key, (await dispatcher.key()).key];
    const order: string[] = [];
    const ask = (name: string, key: string) =>
      dispatcher.chat({}, { headers: { authorization: `Bearer ${key}` } }).then((response) => {
        order.push(name);
        return response.status;
      });
    const first = ask('first', greedy);
    await held(1);
    const calls = [first];
    for (const [name, key] of [
      ['g1', greedy],
      ['g2', greedy],
      ['g3', greedy],
      ['m1', modest],
    ] as const) {
      calls.push(ask(name, key));
      await waiting(calls.length - 1);
    }
    for (let n = 0; n < 5; n++) {
      await held(n + 1);
      letGo[n]?.();
      await until('its caller has it', () => order.length === n + 1);
    }
    expect(await Promise.all(calls)).toEqual([200, 200, 200, 200, 200]);
    expect(order).toEqual(['first', 'g1', 'm1', 'g2', 'g3']);
  });

  it('503 with Retry-After when the line is full, and when the wait was too long', async () => {
    await start({ size: 1, timeout: '300ms' });
    const first = dispatcher.chat();
    await held(1);
    const second = dispatcher.chat();
    await waiting(1);
    const third = await dispatcher.chat();
    expect(third.status).toBe(503);
    expect(third.headers.get('retry-after')).toBeTruthy();
    expect((await second).status).toBe(503);
    letGo[0]?.();
    expect((await first).status).toBe(200);
  });

  it('a caller that leaves the line is not served, and the pod never hears of it', async () => {
    await start({ size: 10 });
    const first = dispatcher.chat();
    await held(1);
    const abort = new AbortController();
    const second = dispatcher.chat({}, { signal: abort.signal }).catch(() => 'gone');
    await waiting(1);
    abort.abort();
    expect(await second).toBe('gone');
    await waiting(0);
    letGo[0]?.();
    expect((await first).status).toBe(200);
    expect(pod.requests).toHaveLength(1);
  });

  /** A second pod that has room but is not trusted, so that each of its reports wakes the line in vain. */
  async function addDistrusted(): Promise<MockPod> {
    const distrusted = await startMockPod((_request, response) => void response.socket?.resetAndDestroy());
    const report = { pod_id: 'bad', model_name: 'mock', pod_address: distrusted.url };
    await dispatcher.report(report);
    return distrusted;
  }

  it('waking up in vain changes neither the deadline nor the order', async () => {
    dispatcher = await startDispatcher({
      config: {
        queue: { timeout: '2s' },
        dispatcher: { policy: 'round-robin', breaker: { failures: 1, cooldown: '60s' } },
      },
    });
    const distrusted = await addDistrusted();
    expect((await dispatcher.chat()).status).toBe(503);
    await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url, max_connections: 1 });
    const order: string[] = [];
    const ask = (name: string) =>
      dispatcher.chat().then((response) => {
        order.push(name);
        return response.status;
      });
    const first = ask('first');
    await held(1);
    const second = ask('second');
    await waiting(1);
    const third = ask('third');
    await waiting(2);
    await dispatcher.report({ pod_id: 'bad' });
    letGo[0]?.();
    expect(await first).toBe(200);
    await held(2);
    letGo[1]?.();
    expect(await second).toBe(200);
    await held(3);
    letGo[2]?.();
    expect(await third).toBe(200);
    expect(order).toEqual(['first', 'second', 'third']);

    const blocking = ask('blocking');
    await held(4);
    const late = ask('late');
    await waiting(1);
    const waking = setInterval(() => dispatcher.report({ pod_id: 'bad' }).catch(() => undefined), 100);
    expect(await late).toBe(503);
    clearInterval(waking);
    letGo[3]?.();
    expect(await blocking).toBe(200);
    await distrusted.kill();
  });

  it('those in line are served when their model comes back after no pod had it', async () => {
    await start({ size: 10 });
    const first = dispatcher.chat();
    await held(1);
    const second = dispatcher.chat();
    await waiting(1);
    await dispatcher.report({ pod_id: 'a', model_name: 'another' });
    expect((await dispatcher.chat({ model: 'unknown' })).status).toBe(404);
    const other = await startMockPod();
    await dispatcher.report({ pod_id: 'b', model_name: 'mock', pod_address: other.url });
    expect((await second).headers.get('x-roundhouse-pod')).toBe('b');
    letGo[0]?.();
    expect((await first).status).toBe(200);
    await dispatcher.report({ pod_id: 'b', model_name: 'another' });
    expect((await dispatcher.chat()).status).toBe(404);
    await other.kill();
  });

  it('those in line go to a pod that joins, and learn at once when the last one dies', async () => {
    await start({ size: 10 });
    const first = dispatcher.chat();
    await held(1);
    const second = dispatcher.chat();
    await waiting(1);
    const other = await startMockPod();
    await dispatcher.report({ pod_id: 'b', model_name: 'mock', pod_address: other.url, max_connections: 1 });
    expect((await second).headers.get('x-roundhouse-pod')).toBe('b');
    await dispatcher.report({ pod_id: 'b', dead: true });
    const third = dispatcher.chat();
    await waiting(1);
    await dispatcher.report({ pod_id: 'a', dead: true });
    expect((await third).status).toBe(503);
    letGo[0]?.();
    expect((await first).status).toBe(200);
    await other.kill();
  });
});

describe('limits of a key', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;
  let admin: string;
  let now = 0;

  const report = (more = {}) =>
    fetch(`${dispatcher.url}/pods-info/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: admin },
      body: JSON.stringify({ pod_id: 'a', model_name: 'mock', pod_address: pod.url, ...more }),
    });

  beforeEach(async () => {
    now = Date.parse('2026-05-10T10:00:10Z');
    dispatcher = await startDispatcher({ closed: true, clock: { now: () => now } });
    pod = await startMockPod();
    admin = (await dispatcher.key({}, ['admin'])).key;
    await report();
  });
  afterEach(async () => {
    await dispatcher.close();
    await pod.kill();
  });

  const ask = async (key: string, body = {}) => {
    const response = await dispatcher.chat(body, { headers: { authorization: `Bearer ${key}` } });
    await response.text();
    return response;
  };

  it('401 without a key or with an unknown one, 403 without the scope', async () => {
    expect((await dispatcher.chat()).status).toBe(401);
    expect((await ask('rh-unknown')).status).toBe(401);
    expect((await ask((await dispatcher.key({}, ['index'])).key)).status).toBe(403);
  });

  it('requests per minute: 429 with what OpenAI’s clients read, and again in the next minute', async () => {
    const { key } = await dispatcher.key({ requests_per_minute: 2 });
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 200]);
    const over = await ask(key);
    expect(over.status).toBe(429);
    expect(over.headers.get('retry-after')).toBe('50');
    expect(over.headers.get('x-ratelimit-limit-requests')).toBe('2');
    expect(over.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    now += 25_000;
    expect((await ask(key)).status).toBe(429);
    now += 26_000;
    await report();
    expect((await ask(key)).status).toBe(200);
  });

  it('tokens per minute and per month count what the answers used', async () => {
    const minute = (await dispatcher.key({ tokens_per_minute: 20 })).key;
    expect([(await ask(minute)).status, (await ask(minute)).status, (await ask(minute)).status]).toEqual([
      200, 200, 429,
    ]);
    const month = (await dispatcher.key({ tokens_per_month: 20 })).key;
    expect([(await ask(month)).status, (await ask(month)).status, (await ask(month)).status]).toEqual([
      200, 200, 429,
    ]);
  });

  it('parallel requests, and the models it may name', async () => {
    const { key } = await dispatcher.key({ parallel_requests: 1, models: ['mock'] });
    let finish = () => {};
    pod.answer = (_request, response) => {
      finish = () => response.writeHead(200).end('{}');
    };
    const first = ask(key);
    await until('the pod has it', () => pod.requests.length === 1);
    expect((await ask(key)).status).toBe(429);
    finish();
    expect((await first).status).toBe(200);
    await report({ served_model_name: 'also' });
    expect((await ask(key, { model: 'also' })).status).toBe(403);
  });

  it('a key lists the models that it may name', async () => {
    const listed = async (key: string) => {
      const response = await fetch(`${dispatcher.url}/v1/models`, { headers: { authorization: key } });
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    await report({ pod_id: 'b', model_name: 'other' });
    expect(await listed((await dispatcher.key({ models: ['other', 'gone'] })).key)).toEqual(['other']);
    expect(await listed((await dispatcher.key()).key)).toEqual(['mock', 'other']);
  });

  it('a month that is used up begins anew without a restart', async () => {
    const { key } = await dispatcher.key({ tokens_per_month: 10 });
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 429]);
    now = Date.parse('2026-06-01T00:00:01Z');
    await report();
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 429]);
  });
});
