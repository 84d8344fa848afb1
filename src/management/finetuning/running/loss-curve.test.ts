import { expect, test } from 'vitest';
import type { LossPoint } from '../../../contracts/management/finetuning.ts';
import { upToStep, withPoint } from './loss-curve.ts';

const point = (step: number): LossPoint => ({ step, loss: 1 / step, eval_loss: step % 50 === 0 ? 1 : null });

test('keeps at most a thousand points: the first, the last, and every evaluation', () => {
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

test('drops evaluations too if every step was evaluated', () => {
  let curve: LossPoint[] = [];
  for (let step = 1; step <= 5_000; step++) curve = withPoint(curve, { step, loss: 1, eval_loss: 1 });
  expect(curve.length).toBeLessThanOrEqual(1000);
  expect(curve.at(-1)?.step).toBe(5_000);
});

test('drops the points that a resumed run repeats', () => {
  expect(upToStep([point(1), point(2), point(3)], 2).map(({ step }) => step)).toEqual([1, 2]);
});
