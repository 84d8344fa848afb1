import { afterEach, describe, expect, test } from 'vitest';
import { Thread } from './thread.ts';

const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    let calls = 0;
    parentPort.on('message', ({ id, request }) => {
      calls += 1;
      if (request === 'crash') process.exit(7);
      if (request === 'refuse') parentPort.postMessage({ id, error: 'not that one' });
      else if (request !== 'ignore') parentPort.postMessage({ id, result: [request, calls] });
    });
  `)}`,
);
const threads: Thread<string, unknown>[] = [];
afterEach(() => Promise.all(threads.splice(0).map((thread) => thread.close())));

function start(): Thread<string, unknown> {
  const thread = new Thread<string, unknown>(script, {});
  threads.push(thread);
  return thread;
}

describe('a thread', () => {
  test('answers each call with its own answer or error', async () => {
    const thread = start();
    const answers = await Promise.allSettled([thread.call('a'), thread.call('refuse'), thread.call('b')]);
    expect(answers).toMatchObject([
      { value: ['a', 1] },
      { reason: { message: 'not that one' } },
      { value: ['b', 3] },
    ]);
  });

  test('that crashes fails what it had, and the next call starts it afresh', async () => {
    const thread = start();
    await thread.call('a');
    const lost = thread.call('ignore');
    const refused = expect(lost).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('code 7'),
    });
    await expect(thread.call('crash')).rejects.toMatchObject({ status: 503 });
    await refused;
    expect(await thread.call('b')).toEqual(['b', 1]);
  });

  test('that is closed refuses what it had and what comes', async () => {
    const thread = start();
    const lost = expect(thread.call('ignore')).rejects.toMatchObject({ status: 503 });
    await thread.close();
    await lost;
    await expect(thread.call('a')).rejects.toMatchObject({ status: 503 });
  });
});
