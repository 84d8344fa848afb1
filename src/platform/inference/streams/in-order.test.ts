import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

const never = new AbortController().signal;

async function* count(to: number, log: { pulled: number; left?: boolean } = { pulled: 0 }) {
  try {
    for (let item = 0; item < to; item++) {
      log.pulled++;
      yield item;
    }
  } finally {
    log.left = true;
  }
}

describe('inOrder', () => {
  it('yields in order, whoever is done first', async () => {
    const found: number[] = [];
    const work = async (item: number) => {
      for (let turns = 5 - (item % 5); turns > 0; turns--) await turn();
      return item;
    };
    for await (const item of inOrder(count(23), 4, never, work)) found.push(item);
    expect(found).toEqual([...Array(23).keys()]);
  });

  it('takes no more than fits while nobody takes the results', async () => {
    const log = { pulled: 0 };
    const results = inOrder(count(100, log), 3, never, async (item) => item);
    await results.next();
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(log.pulled).toBeLessThanOrEqual(4);
    await results.return(undefined);
    await turn();
    expect(log).toMatchObject({ left: true });
  });

  it('gives a result out while the source makes it wait for the next item', async () => {
    async function* stuck() {
      yield 1;
      await new Promise(() => {});
    }
    const results = inOrder(stuck(), 4, never, async (item) => item);
    expect(await results.next()).toEqual({ done: false, value: 1 });
    await results.return(undefined);
  });

  it('throws the first failure and aborts the others', async () => {
    const aborted: number[] = [];
    const work = async (item: number, signal: AbortSignal) => {
      if (item < 2) for (let turns = 0; turns < 5; turns++) await turn();
      if (item === 1) throw new Error('one');
      if (item === 0) return item;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted.push(item);
      return item;
    };
    const results = inOrder(count(9), 4, never, work);
    expect((await results.next()).value).toBe(0);
    await expect(results.next()).rejects.toThrow('one');
    await turn();
    expect(aborted).toContain(2);
  });

  it('throws what the source throws, and the reason of an abort though the source is stuck', async () => {
    async function* broken() {
      yield 1;
      throw new Error('source');
    }
    const results = inOrder(broken(), 1, never, async (item) => item);
    await results.next();
    await expect(results.next()).rejects.toThrow('source');

    const stop = new AbortController();
    async function* stuck(): AsyncGenerator<number> {
      await new Promise(() => {});
    }
    const waiting = inOrder(stuck(), 2, stop.signal, async (item) => item).next();
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
