import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';

describe('POST /pods-info/', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;
  let now = Date.now();

  beforeEach(async () => {
    now = Date.now();
    dispatcher = await startDispatcher({ clock: { now: () => now } });
    pod = await startMockPod();
  });
  afterEach(async () => {
    await dispatcher.close();
    await pod.kill();
  });

  const post = (body?: string) =>
    fetch(`${dispatcher.url}/pods-info/`, {
      method: 'POST',
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body }),
    });
  const models = async () => {
    const response = await fetch(`${dispatcher.url}/v1/models`);
    return ((await response.json()) as { data: { id: string; parent: string | null; root: string }[] }).data;
  };

  it('keeps a report and returns the record, extra fields included', async () => {
    const record = await dispatcher.report({
      pod_id: 'a',
      model_name: 'mock',
      pod_address: pod.url,
      kv_cache_usage: 0.4,
      region: 'north',
    });
    expect(record).toMatchObject({
      pod_id: 'a',
      live: true,
      region: 'north',
      kv_cache_usage: 0.4,
      dead: false,
    });
    expect(record.requests_success_total).toBe(0);
    expect(await (await post('null')).json()).toEqual([record]);
    expect(await (await post()).json()).toEqual([record]);
  });

  it('refuses a report that is too large, too deep or not well formed; the list stays readable', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const less = `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`;
    for (const body of [
      '{"pod_id":"\\ud800"}',
      '{"pod_id":"a","\\udfff":1}',
      JSON.stringify({ pod_id: 'p'.repeat(257) }),
      JSON.stringify({ pod_id: 'a', pod_address: `http://localhost${'/'.repeat(100_000)}x` }),
      JSON.stringify({ pod_id: 'a', served_model_name: 'x'.repeat(5000) }),
      JSON.stringify({ pod_id: 'a', adapters: new Array(1001).fill('x') }),
      JSON.stringify({ pod_id: 'a', note: 'x'.repeat(40_000) }),
      JSON.stringify({
        pod_id: 'a',
        ...Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, n])),
      }),
      `{"pod_id":"a","more":${less}}`,
    ])
      expect((await post(body)).status, body.slice(0, 60)).toBe(422);
    expect((await post(`{"pod_id":"a","more":${deep}}`)).status).toBe(400);
    expect((await post()).status).toBe(200);
    const slashes = { pod_id: 'a', pod_address: `http://localhost${'/'.repeat(2000)}` };
    expect((await post(JSON.stringify(slashes))).status).toBe(200);
  });

  it('422 for fields that add up over several reports', async () => {
    const report = (from: number) =>
      post(
        JSON.stringify({
          pod_id: 'a',
          ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${from + n}`, n])),
        }),
      );
    expect((await report(0)).status).toBe(200);
    expect((await report(60)).status).toBe(422);
    expect((await report(0)).status).toBe(200);
  });

  it('422 without a pod_id, for an address that is none, for a wrong type', async () => {
    for (const [body, loc] of [
      ['{}', ['body', 'pod_id']],
      ['{"pod_id":"a","pod_address":"not an address"}', ['body', 'pod_address']],
      ['{"pod_id":"a","pod_address":"file:///etc/passwd"}', ['body', 'pod_address']],
      ['{"pod_id":"a","connections":"many"}', ['body', 'connections']],
    ] as const) {
      const response = await post(body);
      expect(response.status, body).toBe(422);
      expect(((await response.json()) as { detail: { loc: unknown }[] }).detail[0]?.loc).toEqual(loc);
    }
  });

  it('updates by pod_id: what is left out stays, a restart sets the counters back', async () => {
    await dispatcher.report({
      pod_id: 'a',
      model_name: 'mock',
      pod_address: pod.url,
      requests_success_total: 9,
    });
    const updated = await dispatcher.report({ pod_id: 'a', requests_success_total: 12 });
    expect(updated).toMatchObject({ model_name: 'mock', pod_address: pod.url, requests_success_total: 12 });
    const restarted = await dispatcher.report({ pod_id: 'a', restarted: true });
    expect(restarted).toMatchObject({ model_name: 'mock', requests_success_total: 0, restarted: true });
    expect(await dispatcher.pods()).toHaveLength(1);
  });

  it('a pod that stops reporting is not sent requests any more, but its record stays, marked', async () => {
    await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url });
    expect((await dispatcher.chat()).status).toBe(200);
    now += 30_000;
    expect((await dispatcher.chat()).status).toBe(503);
    expect(await dispatcher.pods()).toMatchObject([{ pod_id: 'a', live: false }]);
    expect(await models()).toEqual([]);
    await dispatcher.report({ pod_id: 'a' });
    expect((await dispatcher.chat()).status).toBe(200);
  });

  it('a dead pod is out at once', async () => {
    await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url });
    const record = await dispatcher.report({ pod_id: 'a', dead: true });
    expect(record).toMatchObject({ live: false, dead: true });
    expect((await dispatcher.chat()).status).toBe(503);
  });

  it('GET /v1/models lists each model once; an adapter’s parent is its base', async () => {
    for (const pod_id of ['a', 'b']) {
      await dispatcher.report({
        pod_id,
        model_name: 'org/base',
        served_model_name: 'base',
        adapters: ['poet'],
        pod_address: pod.url,
        max_model_len: 4096,
      });
    }
    await dispatcher.report({ pod_id: 'c', task: 'embeddings', model_name: 'emb', pod_address: pod.url });
    expect(await models()).toMatchObject([
      { id: 'base', root: 'org/base', parent: null, object: 'model', permission: [], max_model_len: 4096 },
      { id: 'emb', parent: null },
      { id: 'poet', parent: 'base' },
    ]);
  });

  it('a report that lies about its load neither draws everybody nor shuts the pod out', async () => {
    const other = await startMockPod();
    await dispatcher.report({
      pod_id: 'modest',
      model_name: 'mock',
      pod_address: pod.url,
      requests_num_running: -5,
    });
    await dispatcher.report({
      pod_id: 'busy',
      model_name: 'mock',
      pod_address: other.url,
      requests_num_running: 1e9,
    });
    expect((await dispatcher.chat()).headers.get('x-roundhouse-pod')).toBe('modest');
    await dispatcher.report({ pod_id: 'modest', dead: true });
    expect((await dispatcher.chat()).headers.get('x-roundhouse-pod')).toBe('busy');
    await dispatcher.report({ pod_id: 'busy', max_connections: -1, requests_num_running: null });
    expect((await dispatcher.chat()).status).toBe(200);
    await other.kill();
  });

  it('survives reports from ten thousand pods, and still sends requests where they belong', async () => {
    const reports = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify({ pod_id: `storm-${index}`, model_name: `m${index % 100}`, pod_address: pod.url }),
    );
    const pool = new Pool(dispatcher.url, { connections: 8 });
    const headers = { 'content-type': 'application/json' };
    const senders = Array.from({ length: 8 }, async () => {
      for (let body = reports.pop(); body; body = reports.pop()) {
        const { body: answer } = await pool.request({ path: '/pods-info/', method: 'POST', headers, body });
        await answer.dump();
      }
    });
    await Promise.all(senders);
    await pool.close();
    expect(await dispatcher.pods()).toHaveLength(10_000);
    const response = await dispatcher.chat({ model: 'm7' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-roundhouse-pod')).toMatch(/^storm-\d*7$/);
  });
});
