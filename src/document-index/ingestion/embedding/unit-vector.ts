/** The vector with length 1; null for one without a direction. */
export function unitVector(vector: Float32Array): Float32Array | null {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  return Math.abs(length - 1) < 1e-4 ? vector : vector.map((value) => value / length);
}
