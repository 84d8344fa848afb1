import { notUnderstood } from '../sending/send-request.ts';

/** A vector as servers send it: numbers, or 32-bit floats in little-endian order as base64. */
export function readVector(embedding: string | readonly number[]): Float32Array {
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding);
  if (vector.length === 0) throw notUnderstood(new Error('a vector is empty'));
  // One that is not finite would spoil every comparison in an index.
  for (const value of vector) {
    if (!Number.isFinite(value)) throw notUnderstood(new Error('a vector has values that are not numbers'));
  }
  return vector;
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) throw notUnderstood(new Error('a vector ends in the middle of a number'));
  const vector = new Float32Array(bytes.length / 4);
  for (let at = 0; at < vector.length; at++) vector[at] = bytes.readFloatLE(at * 4);
  return vector;
}
