import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawCaller, rawPost } from '../testkit/attacks/raw-caller.ts';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

const kib = 1024;
/** Node reads requests with this header, the dispatcher reads the others itself. */
const readers = [
  ['read by the dispatcher', []],
  ['read by Node', ['connection: close']],
] as const;

describe.each(readers)('bodies that are never finished, %s', (_title, headers) => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;
  let callers: RawCaller[];

  beforeEach(async () => {
    callers = [];
    pod = await startMockPod();
  });
  afterEach(async () => {
    for (const caller of callers) caller.destroy();
    await dispatcher.close();
    await pod.kill();
  });

  /** Sends all but the end of a request whose body has so many bytes. */
  function begin(size: number, more: readonly string[] = []): RawCaller {
    const start = '{"model":"mock","messages":[{"content":"';
    const end = '"}]}';
    const body = `${start}${'x'.repeat(size - start.length - end.length)}${end}`;
    const request = rawPost('/v1/chat/completions', body, [...headers, ...more]);
    const caller = new RawCaller(dispatcher.url).send(request.subarray(0, -end.length));
    callers.push(caller);
    return caller;
  }
  const finish = (caller: RawCaller) => caller.send('"}]}').answer();

  /** A dispatcher that requires keys, with one pod. */
  async function startClosed(): Promise<void> {
    dispatcher = await startDispatcher({ closed: true });
    const admin = await dispatcher.key({}, ['admin']);
    await fetch(`${dispatcher.url}/pods-info/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.key}` },
      body: JSON.stringify({ pod_id: 'a', model_name: 'mock', pod_address: pod.url }),
    });
  }

  it('429 beyond the parallel requests of a key, before the body is complete', async () => {
    await startClosed();
    const { key } = await dispatcher.key({ parallel_requests: 1 });
    const authorization = [`authorization: Bearer ${key}`];
    const both = [begin(50 * kib, authorization), begin(50 * kib, authorization)];
    // Either may have come first.
    const refused = await Promise.race(
      both.map(async (caller) => ({ caller, answer: await caller.answer() })),
    );
    expect(refused.answer?.status).toBe(429);
    const first = both.find((caller) => caller !== refused.caller) as RawCaller;
    expect((await finish(first))?.status).toBe(200);
    await until('the place is free', async () => {
      const answer = await finish(begin(kib, authorization));
      return answer?.status === 200;
    });
  });

  it('429 beyond the requests per minute of a key, before the body is complete', async () => {
    await startClosed();
    await awayFromMinuteEnd();
    const { key } = await dispatcher.key({ requests_per_minute: 1 });
    const authorization = [`authorization: Bearer ${key}`];
    const send = async (body: string) => {
      const caller = new RawCaller(dispatcher.url);
      callers.push(caller);
      caller.send(rawPost('/v1/chat/completions', body, [...headers, ...authorization]));
      return (await caller.answer())?.status;
    };
    // Requests that are invalid or never completed are not counted.
    expect(await send('{"model":')).toBe(422);
    expect(await send('{"model":"other","messages":[]}')).toBe(404);
    const left = begin(50 * kib, authorization);
    await until('the unfinished request is counted', async () => (await send('{')) === 429);
    left.destroy();
    await until('it is no longer counted', async () => (await send('{')) === 422);
    const both = [begin(50 * kib, authorization), begin(50 * kib, authorization)];
    // Either may have come first.
    const refused = await Promise.race(
      both.map(async (caller) => ({ caller, answer: await caller.answer() })),
    );
    expect(refused.answer?.status).toBe(429);
    const first = both.find((caller) => caller !== refused.caller) as RawCaller;
    expect((await finish(first))?.status).toBe(200);
    expect(await send('{"model":"mock","messages":[]}')).toBe(429);
  });

  it('503 with Retry-After beyond what all bodies together may take', async () => {
    const http = { body_limit: '100KiB', bodies_limit: '150KiB' };
    dispatcher = await startDispatcher({ config: { http } });
    await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url });
    const both = [begin(90 * kib), begin(90 * kib)];
    const refused = await Promise.race(
      both.map(async (caller) => ({ caller, answer: await caller.answer() })),
    );
    expect(refused.answer?.status).toBe(503);
    expect(refused.answer?.headers.get('retry-after')).toBeTruthy();
    const first = both.find((caller) => caller !== refused.caller) as RawCaller;
    expect((await finish(first))?.status).toBe(200);
    const [one, two] = [begin(90 * kib), begin(90 * kib)];
    expect((await Promise.race([one.answer(), two.answer()]))?.status).toBe(503);
    for (const caller of [one, two]) caller.destroy();
    await until('the memory is free again', async () => (await finish(begin(90 * kib)))?.status === 200);
  });

  it('any number of small requests one after the other', async () => {
    dispatcher = await startDispatcher({ config: { http: { body_limit: '8KiB', bodies_limit: '8KiB' } } });
    await dispatcher.report({ pod_id: 'a', model_name: 'mock', pod_address: pod.url });
    for (let n = 0; n < 10; n++) expect((await finish(begin(6 * kib)))?.status).toBe(200);
    expect((await dispatcher.chat({ model: 'x'.repeat(6 * kib) })).status).toBe(404);
    expect((await finish(begin(6 * kib)))?.status).toBe(200);
  });
});
