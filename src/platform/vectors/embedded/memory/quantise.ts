/** A vector in 8-bit codes: component ≈ code × scale. */
export interface Codes {
  codes: Int8Array;
  scale: number;
}

const CODE_LIMIT = 127;

export function quantise(vector: Float32Array): Codes {
  const scale = largest(vector) / CODE_LIMIT;
  const codes = new Int8Array(vector.length);
  if (scale === 0) return { codes, scale };
  for (let index = 0; index < vector.length; index++)
    codes[index] = Math.round((vector[index] as number) / scale);
  return { codes, scale };
}

/**
 * A query in 16-bit codes, written to `into`; returns its scale. A dot product with any vector of 8-bit codes fits into
 * 32 bits, because it is at most the product of both lengths.
 */
export function quantiseQuery(vector: Float32Array, into: Int16Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const longest = 2 ** 31 / (CODE_LIMIT * Math.sqrt(vector.length) * 1.01);
  const scale = Math.max(largest(vector) / 32_767, Math.sqrt(squares) / longest);
  into.fill(0);
  if (scale === 0) return 0;
  for (let index = 0; index < vector.length; index++)
    into[index] = Math.round((vector[index] as number) / scale);
  return scale;
}

function largest(vector: Float32Array): number {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  return most;
}
