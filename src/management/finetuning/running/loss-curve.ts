import type { LossPoint } from '../../../contracts/management/finetuning.ts';

const maxPoints = 1000;

/** Adds a point. If there are too many, drops every other one, and keeps evaluations if possible. */
export function withPoint(curve: readonly LossPoint[], point: LossPoint): LossPoint[] {
  const points = [...curve, point];
  if (points.length <= maxPoints) return points;
  const last = points.length - 1;
  const thinned = points.filter(
    ({ eval_loss }, index) => index % 2 === 0 || index === last || eval_loss !== null,
  );
  return thinned.length <= maxPoints
    ? thinned
    : points.filter((_, index) => index % 2 === 0 || index === last);
}

/** Drops the points after a checkpoint, because a resumed run repeats those steps. */
export function upToStep(curve: readonly LossPoint[], step: number): LossPoint[] {
  return curve.filter((point) => point.step <= step);
}
