import { endianness } from 'node:os';
import { notUnderstood } from '../sending/send-request.ts';

/** A vector as servers send it: numbers, or 32-bit floats in little-endian order as base64. */
export function readVector(embedding: string | readonly number[]): Float32Array {
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding);
  if (vector.length === 0) throw notUnderstood(new Error('a vector is empty'));
  // One that is not finite would spoil every comparison in an index.
  for (let at = 0; at < vector.length; at++) {
    if (!Number.isFinite(vector[at]))
      throw notUnderstood(new Error('a vector has values that are not finite'));
  }
  return vector;
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) throw notUnderstood(new Error('a vector ends in the middle of a number'));
  if (endianness() === 'BE') bytes.swap32();
  // Copied: the bytes lie anywhere in a buffer that others share, and floats must be aligned.
  const start = bytes.byteOffset;
  return new Float32Array(bytes.buffer.slice(start, start + bytes.length) as ArrayBuffer);
}
