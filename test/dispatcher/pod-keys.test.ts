import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { platformActor } from '../../src/contracts/actor.ts';
import { systemClock } from '../../src/contracts/clock.ts';
import { storePodKey } from '../../src/platform/auth/pod-keys.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type MockPod, startMockPod } from '../testkit/mock-pod.ts';
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

  it('that the platform made reports for its pod alone', async () => {
    const key = `rh-${'p'.repeat(40)}`;
    const deps = { database: dispatcher.database, clock: systemClock };
    await storePodKey(deps, platformActor('test'), { podId: 'a', key });
    await until('it is known', async () => (await post('/pods-info/', key, { pod_id: 'a' })) === 200);
    expect(await post('/pods-info/', key, { pod_id: 'b' })).toBe(403);
  });
});
