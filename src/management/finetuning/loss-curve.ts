import type { LossPoint } from '../../contracts/management/finetuning.ts';

const most = 1000;

/** The curve with one more point. Of a long run every other point is dropped, again and again; evaluations stay. */
export function withPoint(curve: readonly LossPoint[], point: LossPoint): LossPoint[] {
  const points = [...curve, point];
  if (points.length <= most) return points;
  const last = points.length - 1;
  const thinned = points.filter(
    ({ eval_loss }, index) => index % 2 === 0 || index === last || eval_loss !== null,
  );
  return thinned.length <= most ? thinned : points.filter((_, index) => index % 2 === 0 || index === last);
}

/** A run that goes on from a checkpoint repeats the steps after it. */
export function upToStep(curve: readonly LossPoint[], step: number): LossPoint[] {
  return curve.filter((point) => point.step <= step);
}
