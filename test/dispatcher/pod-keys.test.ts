import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { platformActor } from '../../src/contracts/actor.ts';
import { systemClock } from '../../src/contracts/clock.ts';
import { storePodKey } from '../../src/platform/auth/keys/pod-keys.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

const secret = 'the-secret-of-the-pod';

describe('the secret of a pod', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;
  beforeEach(async () => {
    dispatcher = await startDispatcher();
    pod = await startMockPod();
    await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url, pod_secret: secret });
  });
  afterEach(async () => {
    await dispatcher.close();
    await pod.kill();
  });
  const seen = () => pod.requests.at(-1)?.headers.authorization;

  it("is sent to the pod in place of the caller's key, and shown to nobody", async () => {
    await dispatcher.chat({}, { headers: { authorization: 'Bearer sk-dummy' } });
    expect(seen()).toBe(`Bearer ${secret}`);
    expect(JSON.stringify(await dispatcher.pods())).not.toContain(secret);
    await dispatcher.report({ pod_id: 'a' });
    await dispatcher.chat();
    expect(seen()).toBe(`Bearer ${secret}`);
  });

  it('is not sent to another address, nor after a restart without one', async () => {
    const other = await startMockPod();
    await dispatcher.report({ pod_id: 'a', pod_address: other.url });
    await dispatcher.chat();
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
    await other.kill();
    await dispatcher.report({ pod_id: 'a', pod_address: pod.url, pod_secret: secret });
    await dispatcher.report({ pod_id: 'a', restarted: true });
    await dispatcher.chat();
    expect(seen()).toBeUndefined();
  });

  it('422 for one that a header cannot carry', async () => {
    const answer = await dispatcher.report({ pod_id: 'b', pod_secret: 'two\r\nlines' });
    expect(answer).toHaveProperty('detail');
  });
});

describe('a key with the scope pods', () => {
  let dispatcher: RunningDispatcher;
  beforeEach(async () => {
    dispatcher = await startDispatcher({ closed: true });
  });
  afterEach(() => dispatcher.close());
  const post = async (path: string, key: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await fetch(dispatcher.url + path, { method: 'POST', headers, body: JSON.stringify(body) }))
      .status;
  };

  it('reports, and does nothing else', async () => {
    const { key } = await dispatcher.key({}, ['pods']);
    expect(await post('/pods-info/', key, { pod_id: 'a' })).toBe(200);
    expect(await post('/pods-info/', key, null)).toBe(403);
    expect(await post('/create-pods/', key, {})).toBe(403);
    expect(await post('/v1/chat/completions', key, { model: 'm', messages: [] })).toBe(403);
    const { key: inference } = await dispatcher.key();
    expect(await post('/pods-info/', inference, { pod_id: 'a' })).toBe(403);
  });

  it('cannot take over or retire a live pod that reports with another key', async () => {
    const { key: first } = await dispatcher.key({}, ['pods']);
    const { key: second } = await dispatcher.key({}, ['pods']);
    const address = { pod_id: 'a', pod_address: 'http://127.0.0.1:9' };
    expect(await post('/pods-info/', first, address)).toBe(200);
    expect(await post('/pods-info/', second, { ...address, pod_secret: 'mine' })).toBe(403);
    expect(await post('/pods-info/', second, { pod_id: 'a', dead: true })).toBe(403);
    expect(await post('/pods-info/reach/', second, address)).toBe(403);
    expect(await post('/pods-info/', first, { pod_id: 'a', dead: true })).toBe(200);
    expect(await post('/pods-info/', second, address)).toBe(200);
  });

  it('409 to join with the id of a pod that answers at another address', async () => {
    const { key } = await dispatcher.key({}, ['pods']);
    const servers = [1, 2].map(() => createServer((_, answer) => answer.end('{"pod_id":"a"}')).listen(0));
    const [first, second] = servers.map((server) => ({
      pod_id: 'a',
      pod_address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    }));
    await post('/pods-info/', key, first);
    expect(await post('/pods-info/reach/', key, first)).toBe(200);
    expect(await post('/pods-info/reach/', key, second)).toBe(409);
    servers[0]?.closeAllConnections();
    await new Promise((closed) => servers[0]?.close(closed));
    expect(await post('/pods-info/reach/', key, second)).toBe(200);
    servers[1]?.closeAllConnections();
    servers[1]?.close();
  });

  it('422 for an address to reach that has more than a host and a port, and for names that paint a terminal', async () => {
    const { key } = await dispatcher.key({}, ['pods']);
    const reach = (pod_address: string) => post('/pods-info/reach/', key, { pod_id: 'a', pod_address });
    expect(await reach('http://127.0.0.1:9/')).toBe(200);
    expect(await reach('http://127.0.0.1:80')).toBe(200);
    for (const rest of ['/admin/restart#', '/admin?', '/?a', '/#']) {
      expect(await reach(`http://127.0.0.1:9${rest}`), rest).toBe(422);
    }
    expect(await reach('http://user:password@127.0.0.1:9')).toBe(422);
    const report = (fields: object) => post('/pods-info/', key, { pod_id: 'b', ...fields });
    expect(await report({ pod_id: 'b\u001b[31m' })).toBe(422);
    expect(await report({ served_model_name: 'm\nfake line' })).toBe(422);
    expect(await report({ adapters: ['a\u009b2J'] })).toBe(422);
    expect(await report({ pod_address: 'http://user:password@10.0.0.7' })).toBe(422);
    expect(await report({ pod_address: 'http://10.0.0.7/behind/a/proxy' })).toBe(200);
  });

  it('that the platform made reports for its pod alone', async () => {
    const key = `rh-${'p'.repeat(40)}`;
    const deps = { database: dispatcher.database, clock: systemClock };
    await storePodKey(deps, platformActor('test'), { podId: 'a', key });
    await until('it is known', async () => (await post('/pods-info/', key, { pod_id: 'a' })) === 200);
    expect(await post('/pods-info/', key, { pod_id: 'b' })).toBe(403);
    const { key: other } = await dispatcher.key({}, ['pods']);
    await post('/pods-info/', key, { pod_id: 'a', pod_address: 'http://127.0.0.1:9' });
    expect(await post('/pods-info/', other, { pod_id: 'a', pod_address: 'http://127.0.0.1:8' })).toBe(403);
  });
});
