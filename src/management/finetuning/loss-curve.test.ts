import { expect, test } from 'vitest';
import type { LossPoint } from '../../contracts/management/finetuning.ts';
import { upToStep, withPoint } from './loss-curve.ts';

const point = (step: number): LossPoint => ({ step, loss: 1 / step, eval_loss: step % 50 === 0 ? 1 : null });

test('a long run keeps a thousand points at most: its first, its last, and every evaluation', () => {
  let curve: LossPoint[] = [];
  for (let step = 1; step <= 10_000; step++) {
    curve = withPoint(curve, point(step));
    expect(curve.at(-1)?.step).toBe(step);
  }
  expect(curve.length).toBeLessThanOrEqual(1000);
  expect(curve.length).toBeGreaterThan(400);
  expect(curve[0]?.step).toBe(1);
  expect(curve.filter(({ eval_loss }) => eval_loss !== null)).toHaveLength(200);
});

test('where every step was evaluated, those are thinned too', () => {
  let curve: LossPoint[] = [];
  for (let step = 1; step <= 5_000; step++) curve = withPoint(curve, { step, loss: 1, eval_loss: 1 });
  expect(curve.length).toBeLessThanOrEqual(1000);
  expect(curve.at(-1)?.step).toBe(5_000);
});

test('what is repeated from a checkpoint is forgotten first', () => {
  expect(upToStep([point(1), point(2), point(3)], 2).map(({ step }) => step)).toEqual([1, 2]);
});
