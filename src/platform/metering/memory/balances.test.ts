import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { Balances } from './balances.ts';
import { RunningCounts } from './running-counts.ts';

const [row, budget] = [3, 1];

it('takes up to the ceiling, then nothing, and begins anew in the next period', () => {
  const balances = new Balances(8);
  expect(balances.take(row, budget, 10, 5, 12)).toBe(5);
  expect(balances.take(row, budget, 10, 5, 12)).toBe(5);
  expect(balances.take(row, budget, 10, 5, 12, 5)).toBe(0);
  expect(balances.take(row, budget, 10, 5, 12)).toBe(2);
  expect(balances.take(row, budget, 10, 1, 12)).toBe(0);
  expect(balances.take(row, budget, 11, 5, 12)).toBe(5);
  expect(balances.read(row, budget)).toEqual({ period: 11, used: 5 });
  expect(balances.read(row, 0)).toEqual({ period: 0, used: 0 });
});

it('holds leased quota below zero, and hands over what is in a cell once', () => {
  const balances = new Balances(8);
  balances.add(row, budget, 10, -4);
  expect(balances.take(row, budget, 10, 3, 0)).toBe(3);
  expect(balances.clear(row, budget)).toEqual({ period: 10, used: -1 });
  expect(balances.clear(row, budget)).toEqual({ period: 10, used: 0 });
  balances.add(row, budget, 10, 7);
  expect(balances.take(row, budget, 10, 1, 0)).toBe(0);
});

it('adds nothing to a period that is over, and counts beyond 32 bits', () => {
  const balances = new Balances(8);
  balances.add(row, budget, 11, 5_000_000_000);
  balances.add(row, budget, 10, 100);
  expect(balances.read(row, budget)).toEqual({ period: 11, used: 5_000_000_000 });
  expect(balances.take(row, budget, 11, 10, 1e15)).toBe(10);
});

it('counts the running requests of each thread, and forgets those of one', () => {
  const running = new RunningCounts(8, 3);
  running.add(row, 0, 1);
  running.add(row, 2, 2);
  expect(running.total(row)).toBe(3);
  expect(running.clear(row, 2)).toBe(2);
  expect(running.total(row)).toBe(1);
});

it('lets exactly 50 of 200 through when four threads take at once, the period turning under them', async () => {
  const balances = new Balances(8);
  balances.add(row, budget, 9, 40);
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    (async () => {
      const { Balances } = await import(workerData.module);
      const balances = new Balances(8, workerData.buffer);
      Atomics.add(workerData.gate, 0, 1);
      while (Atomics.load(workerData.gate, 0) < 4);
      let taken = 0;
      for (let n = 0; n < 50; n++) taken += balances.take(${row}, ${budget}, 10, 1, 50);
      parentPort.postMessage(taken);
    })();`;
  const module = new URL('./balances.ts', import.meta.url).href;
  const workerData = { buffer: balances.buffer, gate, module };
  const takes = Array.from({ length: 4 }, () => {
    const worker = new Worker(code, { eval: true, workerData });
    return new Promise<number>((resolve, reject) => worker.on('message', resolve).on('error', reject));
  });
  expect((await Promise.all(takes)).reduce((sum, taken) => sum + taken)).toBe(50);
  expect(balances.read(row, budget)).toEqual({ period: 10, used: 50 });
});
