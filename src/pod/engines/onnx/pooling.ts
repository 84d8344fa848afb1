import type { Pooling } from './recipe.ts';

/** Pools token vectors (`[batch, longest, size]`, padded at the end) into one vector per sequence. */
export function pool(
  tokens: Float32Array,
  lengths: number[],
  size: number,
  pooling: Pooling,
): Float32Array[] {
  const longest = tokens.length / (lengths.length * size);
  return lengths.map((length, row) => {
    const start = row * longest * size;
    const own = tokens.subarray(start, start + length * size);
    if (pooling === 'cls') return own.slice(0, size);
    if (pooling === 'last') return own.slice((length - 1) * size);
    if (pooling === 'max') return maximum(own, size);
    return weightedSum(own, length, size, pooling);
  });
}

function weightedSum(own: Float32Array, length: number, size: number, pooling: Pooling): Float32Array {
  const weighted = pooling === 'weighted-mean';
  const sum = new Float32Array(size);
  for (let token = 0, at = 0; token < length; token++) {
    const weight = weighted ? token + 1 : 1;
    for (let column = 0; column < size; column++, at++) {
      sum[column] = (sum[column] as number) + weight * (own[at] as number);
    }
  }
  const total = weighted ? (length * (length + 1)) / 2 : pooling === 'mean-sqrt' ? Math.sqrt(length) : length;
  return sum.map((value) => value / total);
}

function maximum(own: Float32Array, size: number): Float32Array {
  const highest = own.slice(0, size);
  for (let at = size; at < own.length; at++) {
    const column = at % size;
    highest[column] = Math.max(highest[column] as number, own[at] as number);
  }
  return highest;
}

/** Normalises to unit length in place; a zero vector is unchanged. */
export function normalize(vector: Float32Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square);
  if (length === 0) return vector;
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] as number) / length;
  return vector;
}
