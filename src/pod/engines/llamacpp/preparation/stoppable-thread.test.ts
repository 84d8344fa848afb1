import { afterEach, describe, expect, it } from 'vitest';
import { StoppableThread } from './stoppable-thread.ts';

/** Answers with what it is sent; `loop` never ends, `grow` takes all memory, `throw` ends the thread. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (request) => {
      while (request === 'loop') {}
      for (const held = []; request === 'grow'; ) held.push(new Array(10000).fill({}));
      if (request === 'throw') throw new Error('broken');
      if (request === 'refuse') parentPort.postMessage({ kind: 'refusal', message: 'no', code: 'c', param: 'p' });
      else parentPort.postMessage({ kind: 'result', result: request });
    });
  `)}`,
);

describe('a thread that can be stopped', () => {
  let thread: StoppableThread<string, string>;
  afterEach(() => thread.close());
  const start = (limit: number) => {
    thread = new StoppableThread(script, {}, limit);
  };

  it('runs one job at a time', async () => {
    start(60_000);
    expect(await Promise.all(['a', 'b', 'c'].map((text) => thread.run(text)))).toEqual(['a', 'b', 'c']);
    await expect(thread.run('refuse')).rejects.toMatchObject({
      status: 400,
      message: 'no',
      code: 'c',
      param: 'p',
    });
  });

  it('stops a job that takes too long, and continues with the next', async () => {
    start(200);
    const endless = thread.run('loop');
    await expect(endless).rejects.toMatchObject({ status: 400, code: 'request_too_complex' });
    await thread.close();
    start(60_000);
    expect(await thread.run('next')).toBe('next');
  });

  it('stops aborted jobs, running or waiting', async () => {
    start(600_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const running = thread.run('loop', first.signal);
    const waiting = thread.run('loop', second.signal);
    const next = thread.run('next');
    second.abort(new Error('left the queue'));
    await expect(waiting).rejects.toThrow('left the queue');
    first.abort(new Error('left'));
    await expect(running).rejects.toThrow('left');
    expect(await next).toBe('next');
  });

  it('survives a job that uses all memory or crashes the thread', async () => {
    start(600_000);
    await expect(thread.run('grow')).rejects.toMatchObject({ status: 400, code: 'request_too_complex' });
    await expect(thread.run('throw')).rejects.toThrow('broken');
    expect(await thread.run('next')).toBe('next');
  });

  it('rejects jobs when too many are waiting', async () => {
    start(600_000);
    const asked = Array.from({ length: 70 }, () => thread.run('loop').catch((error) => error.status));
    expect(await Promise.race(asked)).toBe(503);
    await thread.close();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([503]));
  });
});
