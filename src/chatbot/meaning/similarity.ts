/** The cosine of the angle between two vectors; 0 where one is missing or empty. */
export function similarity(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other || one.length !== other.length) return 0;
  let dot = 0;
  let a = 0;
  let b = 0;
  for (let at = 0; at < one.length; at++) {
    const [x, y] = [one[at] as number, other[at] as number];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  return a === 0 || b === 0 ? 0 : dot / Math.sqrt(a * b);
}
