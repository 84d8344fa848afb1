import { describe, expect, it } from 'vitest';
import { rateLimited } from './answer-problem.ts';
import { createPace } from './pace.ts';

const origin = 'https://wiki.example';
const { signal } = new AbortController();
const turn = { signal, wait: async () => {}, longestWait: 60_000 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Requests that end when the test says so. */
function requests(pace: ReturnType<typeof createPace>) {
  const open: PromiseWithResolvers<void>[] = [];
  const start = (aborted: AbortSignal = signal) =>
    pace.send(origin, { ...turn, signal: aborted }, () => {
      const request = Promise.withResolvers<void>();
      open.push(request);
      return request.promise;
    });
  return { open, start };
}

describe('createPace', () => {
  it('lets everything through where nothing is limited', async () => {
    const { open, start } = requests(createPace());
    for (let count = 0; count < 50; count++) void start();
    expect(open).toHaveLength(50);
  });

  it('sends one request after a limit, and more at once with each that is not refused', async () => {
    const pace = createPace();
    pace.hold(origin, 1_000);
    const { open, start } = requests(pace);
    const all = Array.from({ length: 10 }, () => start().catch(() => 'refused'));
    await settled();
    expect(open).toHaveLength(1);
    open[0]?.resolve();
    await settled();
    expect(open).toHaveLength(3);
    open[1]?.resolve();
    open[2]?.resolve();
    await settled();
    expect(open).toHaveLength(7);
    // The next refusal begins anew.
    pace.hold(origin, 1_000);
    for (const request of open.slice(3)) request.reject(rateLimited('wiki.example', 1));
    await settled();
    expect(open).toHaveLength(8);
    for (let at = 7; at < 10; at++) {
      open[at]?.resolve();
      await settled();
    }
    expect(await Promise.all(all)).toHaveLength(10);
  });

  it('gives the turn of a canceled request to the next', async () => {
    const pace = createPace();
    pace.hold(origin, 1);
    const { open, start } = requests(pace);
    const stop = new AbortController();
    void start();
    const canceled = start(stop.signal);
    const next = start();
    await settled();
    stop.abort(new Error('canceled'));
    await expect(canceled).rejects.toThrow('canceled');
    open[0]?.resolve();
    await settled();
    open[1]?.resolve();
    await next;
  });

  it('refuses at once what would have to wait too long, and asks again after ten minutes at the latest', async () => {
    const pace = createPace();
    pace.hold(origin, 1e12);
    const { open, start } = requests(pace);
    await expect(start()).rejects.toMatchObject({ retryAfter: 600 });
    expect(open).toEqual([]);
    await expect(pace.send('https://other.example', turn, async () => 1)).resolves.toBe(1);
  });
});
