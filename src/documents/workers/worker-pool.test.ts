import { spawn } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../test/testkit/machine/is-alive.ts';
import { until } from '../../../test/testkit/until.ts';
import { Unreadable } from '../unreadable.ts';
import { FairQueue } from './fair-queue.ts';
import { openWorkerPool, type PoolOptions } from './open-worker-pool.ts';

const tasks = new URL('../../../test/testkit/documents/worker-tasks.ts', import.meta.url).href;
const open = (more: Partial<PoolOptions> = {}) =>
  openWorkerPool({ tasks, workers: 1, memory: 2 ** 28, timeLimit: 60_000, mostOutput: 2 ** 24, ...more });

async function all<Item>(
  running: AsyncGenerator<Item, unknown>,
): Promise<{ items: Item[]; result: unknown }> {
  const items: Item[] = [];
  let next = await running.next();
  for (; !next.done; next = await running.next()) items.push(next.value);
  return { items, result: next.value };
}

const reasonOf = async (running: AsyncGenerator<unknown, unknown>): Promise<string> => {
  try {
    await all(running);
  } catch (error) {
    if (error instanceof Unreadable) return error.reason;
    throw error;
  }
  throw new Error('the job succeeded');
};

describe('a pool of workers', () => {
  const pool = open();
  const hasty = open({ timeLimit: 5_000 });
  afterAll(() => Promise.all([pool.close(), hasty.close()]));

  it('gives items in order and the end value, and uses a worker again', async () => {
    const first = await all(pool.run<number>('count', { to: 1_000 }, {}));
    expect(first.items).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
    const second = await all(pool.run('count', { to: 1 }, {}));
    expect(second.result).toBe(first.result);
  });

  it('survives a job that takes too long, too much memory, gives too much or crashes', async () => {
    expect(await reasonOf(pool.run('hoard', {}, {}))).toBe('too large');
    expect(await reasonOf(pool.run('crash', {}, {}))).toBe('crashed');
    expect(await reasonOf(pool.run('fill', { pieces: 40, bytes: 2 ** 20 }, {}))).toBe('too large');
    expect((await all(pool.run('count', { to: 3 }, {}))).items).toEqual([0, 1, 2]);
    expect(await reasonOf(hasty.run('spin', {}, {}))).toBe('too slow');
    expect((await all(hasty.run('count', { to: 3 }, {}))).items).toEqual([0, 1, 2]);
  });

  it('waits for a slow reader without ending the job for lack of time', async () => {
    const running = hasty.run<string>('fill', { pieces: 60, bytes: 250_000 }, {});
    await running.next();
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    expect((await all(running)).items).toHaveLength(59);
  });

  it('stops at once when the caller leaves, with what the worker has started', async () => {
    const controller = new AbortController();
    const spinning = pool.run<number>('spin', {}, { signal: controller.signal });
    const { value: worker } = await spinning.next();
    controller.abort(new Error('gone'));
    await expect(all(spinning)).rejects.toThrow('gone');
    await until('the end of the worker', () => !isAlive(worker as number));

    const waiting = pool.run<number>('child', {}, {});
    const { value: started } = await waiting.next();
    await waiting.return(undefined);
    await until('the end of its child', () => !isAlive(started as number));
  });

  it('does not run a job that was given up before its turn', async () => {
    const busy = pool.run<number>('spin', {}, {});
    await busy.next();
    const controller = new AbortController();
    const queued = all(pool.run('count', { to: 1 }, { signal: controller.signal }));
    controller.abort(new Error('too late'));
    await expect(queued).rejects.toThrow('too late');
    await busy.return(undefined);
  });
});

it('leaves no worker behind when the process is killed', async () => {
  const script = new URL('../../../test/testkit/documents/orphaned-pool.ts', import.meta.url);
  const parent = spawn(process.execPath, [script.pathname], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  parent.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await until('the worker', () => /^\d+\n/.test(output));
  const worker = Number(/\d+/.exec(output)?.[0]);
  expect(isAlive(worker)).toBe(true);
  parent.kill('SIGKILL');
  await until('the end of the worker', () => !isAlive(worker));
});

it('closes with a job under way', async () => {
  const pool = open();
  const running = pool.run<number>('spin', {}, {});
  const { value: worker } = await running.next();
  await pool.close();
  expect(isAlive(worker as number)).toBe(false);
  await expect(all(running)).rejects.toThrow(Unreadable);
});

it('lets owners take turns', () => {
  const queue = new FairQueue<string>();
  for (const job of ['a1', 'a2', 'a3']) queue.push('a', job);
  queue.push('b', 'b1');
  queue.push('constructor', 'c1');
  queue.remove('a', 'a2');
  expect([1, 2, 3, 4, 5].map(() => queue.shift())).toEqual(['a1', 'b1', 'c1', 'a3', undefined]);
});
