import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { type RunningInference, startInference, transports } from '../testkit/inference.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';

const { signal } = new AbortController();
const input = { model: 'mock', messages: [{ role: 'user', content: 'Hi' }] } as const;

describe.each(transports)('keys %s', (kind) => {
  let running: RunningInference;
  let open: RunningInference;
  let pod: MockPod;

  beforeAll(async () => {
    pod = await startMockPod();
    running = await startInference(kind, { closed: true });
    open = await startInference(kind);
    const report = { pod_id: 'm', task: 'llm', model_name: 'mock', pod_address: pod.url };
    await open.dispatcher.report(report);
    const { key } = await running.dispatcher.key({}, ['admin']);
    await fetch(`${running.dispatcher.url}/pods-info/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(report),
    });
  });
  afterAll(async () => {
    await running.close();
    await open.close();
    await pod.kill();
  });

  const ask = (authorization: string | undefined, { inference } = running) =>
    inference.ask(input, { credentials: { authorization }, signal }).catch((error: unknown) => error);

  it("holds the caller's key to its limits", async () => {
    await awayFromMinuteEnd();
    const { key } = await running.dispatcher.key({ requests_per_minute: 1 });
    expect(await ask(`Bearer ${key}`)).toMatchObject({ text: 'Hello.' });
    const refused = (await ask(`Bearer ${key}`)) as { retryAfter: number };
    expect(refused).toMatchObject({
      name: 'RateLimited',
      headers: { 'x-ratelimit-limit-requests': '1', 'x-ratelimit-remaining-requests': '0' },
    });
    expect(refused.retryAfter).toBeGreaterThan(0);
    const elsewhere = await running.dispatcher.key({ models: ['other'] });
    expect(await ask(`Bearer ${elsewhere.key}`)).toMatchObject({
      name: 'Forbidden',
      code: 'model_not_allowed',
    });
  });

  it("refuses the caller's key where the dispatcher does, for models too", async () => {
    for (const authorization of [undefined, 'Bearer dummy', 'dummy']) {
      expect(await ask(authorization)).toMatchObject({ name: 'Unauthenticated', status: 401 });
      const listing = running.inference.models({ credentials: { authorization }, signal });
      await expect(listing).rejects.toMatchObject({ name: 'Unauthenticated' });
    }
    const { key } = await running.dispatcher.key({}, ['index']);
    expect(await ask(`Bearer ${key}`)).toMatchObject({ name: 'Forbidden' });
    expect(await ask('Bearer a\r\nx-evil: 1')).toMatchObject({ name: 'BadRequest' });
    expect(await ask('Bearer ключ')).toMatchObject({ name: 'BadRequest' });
  });

  it('takes dummy keys where the dispatcher is open', async () => {
    expect(await ask('Bearer dummy', open)).toMatchObject({ text: 'Hello.' });
    expect(await ask(undefined, open)).toMatchObject({ text: 'Hello.' });
  });

  it("uses the platform's own key, and does not pass its refusal off as the caller's", async () => {
    const { key } = await running.dispatcher.key();
    const options = { credentials: 'platform', signal } as const;
    expect(await running.withKey(key).ask(input, options)).toMatchObject({ text: 'Hello.' });
    const models = await running.withKey(key).models(options);
    expect(models).toEqual([{ id: 'mock', parent: undefined, task: 'llm', contextLength: undefined }]);
    for (const call of [
      running.withKey('stale').ask(input, options),
      running.withKey('stale').models(options),
    ]) {
      await expect(call).rejects.toMatchObject({ name: 'UpstreamFailed', code: 'platform_key_refused' });
    }
  });

  it('never shows a key to the pod', () => {
    expect(pod.requests.length).toBeGreaterThan(0);
    for (const { headers } of pod.requests) expect(headers).not.toHaveProperty('authorization');
  });
});
