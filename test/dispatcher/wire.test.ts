import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { answerChat, type MockPod, startMockPod } from '../testkit/mock-pod.ts';
import { RawCaller, rawPost } from '../testkit/raw-caller.ts';

const path = '/v1/chat/completions';
const ask = (content: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }], ...more });

describe('a connection to the front door', () => {
  let dispatcher: RunningDispatcher;
  let closed: RunningDispatcher;
  let pod: MockPod;
  let key: string;

  beforeAll(async () => {
    [dispatcher, closed, pod] = await Promise.all([
      startDispatcher(),
      startDispatcher({ closed: true }),
      startMockPod(),
    ]);
    ({ key } = await closed.key());
    const admin = (await closed.key({}, ['admin'])).key;
    await dispatcher.report({ pod_id: 'p', model_name: 'mock', pod_address: pod.url });
    await fetch(`${closed.url}/pods-info/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` },
      body: JSON.stringify({ pod_id: 'p', model_name: 'mock', pod_address: pod.url }),
    });
  });
  afterAll(async () => {
    await Promise.all([dispatcher?.close(), closed?.close()]);
    await pod?.kill();
  });
  beforeEach(() => {
    pod.requests.length = 0;
    pod.answer = answerChat;
  });

  /** What the pod was asked, in order. */
  const asked = () => pod.requests.map(({ body }) => JSON.parse(body.toString()).messages[0].content);

  it('takes nothing that follows a refused request for another one', async () => {
    const hidden = rawPost(path, ask('smuggled'), [`authorization: Bearer ${key}`]);
    const caller = new RawCaller(closed.url);
    const [head = ''] = rawPost(path, hidden).toString('latin1').split('\r\n\r\n');
    caller.send(`${head}\r\n\r\n`);
    const refused = await caller.answer();
    expect(refused?.status).toBe(401);
    expect(refused?.headers.get('connection')).toBe('close');
    caller.send(hidden);
    await caller.closed;
    caller.socket.end();
    // Whatever became of it has reached the pod before this.
    const good = new RawCaller(closed.url).send(rawPost(path, ask('good'), [`authorization: Bearer ${key}`]));
    expect((await good.answer())?.status).toBe(200);
    good.destroy();
    expect(asked()).toEqual(['good']);
  });

  it('lets a caller that sends all before it reads have its refusal', async () => {
    const caller = new RawCaller(closed.url);
    const request = rawPost(path, ask('x'.repeat(4_000_000)));
    caller.socket.pause();
    for (let at = 0; at < request.length; at += 200_000) {
      await new Promise<void>((resolve, reject) => {
        const sent = (error?: Error | null) => (error ? reject(error) : resolve());
        caller.socket.write(request.subarray(at, at + 200_000), sent);
      });
    }
    caller.socket.resume();
    expect((await caller.answer())?.status).toBe(401);
    caller.destroy();
  });

  it.each([`http://elsewhere${path}`, `${path}#x`, '/v1/%63hat/completions', `${path}?x=1#y`])(
    'answers a request for %s',
    async (target) => {
      const caller = new RawCaller(dispatcher.url).send(rawPost(target, ask('here')));
      expect((await caller.answer())?.status).toBe(200);
      caller.destroy();
      expect(asked()).toEqual(['here']);
    },
  );

  it('answers requests in their order, however many are sent ahead', async () => {
    const count = 60;
    const content = (n: number) => `${n} ${'x'.repeat(5000)}`;
    const caller = new RawCaller(dispatcher.url);
    pod.answer = (request, response) =>
      void response.end(JSON.parse(request.body.toString()).messages[0].content);
    for (let n = 0; n < count; n++) caller.send(rawPost(path, ask(content(n))));
    for (let n = 0; n < count; n++) {
      const answer = await caller.answer();
      expect(answer?.body.toString()).toBe(content(n));
    }
    expect(asked()).toEqual(Array.from({ length: count }, (_, n) => content(n)));
    caller.destroy();
  });
});
