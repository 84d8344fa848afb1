import { describe, expect, test } from 'vitest';
import type { Sequence } from '../sequence.ts';
import { Batcher } from './batcher.ts';
import { chooseBatch } from './choose-batch.ts';

const never = new AbortController().signal;
const sequence = (length: number): Sequence => ({ ids: new Int32Array(length) });
const waiting = (name: string, ...lengths: number[]) => ({
  name,
  remaining: lengths.map((length, index) => ({ sequence: sequence(length), index })),
});

function names(batch: { request: { name: string }; sequence: Sequence }[]): string[] {
  return batch.map(({ request, sequence }) => `${request.name}${sequence.ids.length}`);
}

describe('a batch', () => {
  const limits = { sequences: 4, tokens: 100 };

  test('takes from each request in turn', () => {
    const requests = [waiting('a', 10, 10, 10, 10), waiting('b', 10), waiting('c', 10, 10)];
    expect(names(chooseBatch(requests, limits))).toEqual(['a10', 'b10', 'c10', 'a10']);
    expect(requests.map(({ remaining }) => remaining.length)).toEqual([2, 0, 1]);
  });

  test('leaves out what would need much padding, or would make the others need it', () => {
    const requests = [waiting('a', 20, 12, 5), waiting('b', 60), waiting('c', 19, 2)];
    expect(names(chooseBatch(requests, limits))).toEqual(['a20', 'c19', 'a12']);
  });

  test('keeps to its tokens, but never turns a long sequence away', () => {
    expect(names(chooseBatch([waiting('a', 50, 50, 50)], limits))).toEqual(['a50', 'a50']);
    expect(names(chooseBatch([waiting('a', 500, 500)], limits))).toEqual(['a500']);
    expect(chooseBatch([], limits)).toEqual([]);
  });
});

describe('the batcher', () => {
  /** A model that answers each sequence with its length, one batch at a time, when told to. */
  function held() {
    const batches: { sequences: Sequence[]; answer(): void; fail(error: Error): void }[] = [];
    const run = (sequences: Sequence[]) =>
      new Promise<Float32Array[]>((resolve, reject) => {
        batches.push({
          sequences,
          answer: () => resolve(sequences.map(({ ids }) => Float32Array.of(ids.length))),
          fail: reject,
        });
      });
    return { batches, run };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('lets a small request pass a big one, and gives each its rows in order', async () => {
    const { batches, run } = held();
    const batcher = new Batcher({ run, maxSequences: 2 });
    const done: string[] = [];
    const big = batcher.submit([3, 5, 4, 5, 3, 5].map(sequence), never).then((rows) => {
      done.push('big');
      return rows.map(([value]) => value);
    });
    const small = batcher.submit([sequence(5)], never).then(() => done.push('small'));
    expect(batcher).toMatchObject({ running: 2, waiting: 5 });
    for (let round = 0; round < 10; round++) {
      batches[round]?.answer();
      await settled();
    }
    await small;
    expect(await big).toEqual([3, 5, 4, 5, 3, 5]);
    expect(done).toEqual(['small', 'big']);
    expect(batches.map(({ sequences }) => sequences.length)).toEqual([2, 2, 2, 1]);
  });

  test('shares what waits among its lanes, and gives an idle one the next', async () => {
    const { batches, run } = held();
    const lanes: number[] = [];
    const batcher = new Batcher({
      run: (sequences, lane) => {
        lanes.push(lane);
        return run(sequences);
      },
      lanes: 2,
      maxSequences: 4,
    });
    const rows = batcher.submit([4, 4, 4, 4, 4, 4].map(sequence), never);
    const later = batcher.submit([sequence(4)], never);
    expect(batches.map(({ sequences }) => sequences.length)).toEqual([3, 3]);
    expect(batcher).toMatchObject({ running: 6, waiting: 1 });
    batches[1]?.answer();
    await settled();
    expect(lanes).toEqual([0, 1, 1]);
    batches[2]?.answer();
    await later;
    batches[0]?.answer();
    expect(await rows).toHaveLength(6);
    expect(batcher.running).toBe(0);
  });

  test('an abort takes its sequences back and leaves the others', async () => {
    const { batches, run } = held();
    const batcher = new Batcher({ run, maxSequences: 1 });
    const gone = new AbortController();
    const first = batcher.submit([sequence(2), sequence(2), sequence(2)], gone.signal);
    const second = batcher.submit([sequence(4)], never);
    const refused = expect(first).rejects.toThrow('gone');
    gone.abort(new Error('gone'));
    await refused;
    expect(batcher.waiting).toBe(1);
    batches[0]?.answer();
    await settled();
    batches[1]?.answer();
    expect(await second).toEqual([Float32Array.of(4)]);
    expect(batches.length).toBe(2);
  });

  test('a failing batch fails only its own requests', async () => {
    const { batches, run } = held();
    const batcher = new Batcher({ run, maxSequences: 1 });
    const first = expect(batcher.submit([sequence(2), sequence(2)], never)).rejects.toThrow('broken');
    const second = batcher.submit([sequence(2)], never);
    batches[0]?.fail(new Error('broken'));
    await first;
    batches[1]?.answer();
    expect(await second).toEqual([Float32Array.of(2)]);
  });

  test('rejects more than may wait, with a time to retry', async () => {
    const { run } = held();
    const batcher = new Batcher({ run, maxSequences: 1, maxWaiting: 2 });
    void batcher.submit([sequence(1), sequence(1)], never);
    await expect(batcher.submit([sequence(1), sequence(1)], never)).rejects.toMatchObject({
      status: 503,
      retryAfter: 1,
    });
    await expect(batcher.submit([1, 1, 1].map(sequence), never)).rejects.toMatchObject({ status: 400 });
  });
});
