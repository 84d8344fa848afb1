/** Far above rounding errors and far below the effect of 8-bit activations: cosines stay above 0.99999999. */
const tolerance = 1e-4;

/** Above the effect of 8-bit activations (up to 0.2), and far below the distance of unrelated rows. */
const likeness = 0.5;

/** Whether two results for the same sequence are equal up to rounding. Logits near zero are compared absolutely. */
export function isSameRow(a: Float32Array, b: Float32Array): boolean {
  return isWithin(tolerance, a, b);
}

/** Whether two results for the same sequence could be those of the same weights with different quantisation. */
export function isAlikeRow(a: Float32Array, b: Float32Array): boolean {
  return isWithin(likeness, a, b);
}

function isWithin(limit: number, a: Float32Array, b: Float32Array): boolean {
  let difference = 0;
  let square = 0;
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] as number, b[index] as number];
    difference += (x - y) ** 2;
    square += x * x;
  }
  return a.length === b.length && Math.sqrt(difference) <= limit * Math.max(1, Math.sqrt(square));
}
