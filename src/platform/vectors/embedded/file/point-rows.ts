import { crc32 } from 'node:zlib';
import type { Point, TermCounts } from '../../vector-store.ts';
import type { IndexedPoint } from '../memory/point-index.ts';
import { quantise } from '../memory/quantise.ts';

/** A file that can't be trusted. It is removed, and its points count as missing. */
export class Damaged extends Error {}

/** A row of `points`: what is kept in memory while the collection is open. */
export interface PointRow {
  id: number;
  group: number;
  scale: number;
  codes: Uint8Array | null;
  terms: Uint8Array;
  checksum: number;
}

/** A row of `vectors`: what is read for the best candidates only. */
export interface VectorRow {
  vector: Uint8Array;
  sentences: Uint8Array | null;
}

export function rowsOf(point: Point): { point: PointRow; vector: VectorRow | null } {
  const { id, group, vector, sentences } = point;
  const quantised = vector && quantise(vector);
  const codes = quantised && bytesOf(quantised.codes);
  const scale = quantised?.scale ?? 0;
  const terms = packTerms(point.terms);
  return {
    point: { id, group, scale, codes, terms, checksum: checksumOf(id, group, scale, codes, terms) },
    vector: vector && {
      vector: bytesOf(vector),
      sentences: sentences?.length ? packSentences(sentences) : null,
    },
  };
}

export function indexedPoint(row: PointRow, dimensions: number | null): IndexedPoint {
  const { id, group, scale, codes, terms, checksum } = row;
  if (checksum !== checksumOf(id, group, scale, codes, terms)) throw new Damaged(`row ${id} has changed`);
  if (codes && codes.length !== dimensions)
    throw new Damaged(`row ${id} has a vector of ${codes.length} dimensions`);
  const count = terms.length / 6;
  const bytes = aligned(terms);
  return {
    id,
    group,
    vector: codes && {
      codes: new Int8Array(codes.buffer, codes.byteOffset, codes.length),
      scale,
    },
    terms: new Uint32Array(bytes.buffer, bytes.byteOffset, count),
    counts: new Uint16Array(bytes.buffer, bytes.byteOffset + count * 4, count),
  };
}

export function cosine(query: Float32Array, stored: Uint8Array): number {
  const bytes = aligned(stored);
  const vector = new Float32Array(bytes.buffer, bytes.byteOffset, query.length);
  let sum = 0;
  for (let index = 0; index < query.length; index++)
    sum += (query[index] as number) * (vector[index] as number);
  return sum;
}

/** The cosine of the sentence that is most similar to the query. */
export function bestSentence(query: Float32Array, stored: Uint8Array): number {
  const bytes = aligned(stored);
  const count = bytes.length / (query.length + 4);
  const scales = new Float32Array(bytes.buffer, bytes.byteOffset, count);
  const codes = new Int8Array(bytes.buffer, bytes.byteOffset + count * 4);
  let best = Number.NEGATIVE_INFINITY;
  for (let sentence = 0; sentence < count; sentence++) {
    let sum = 0;
    const start = sentence * query.length;
    for (let index = 0; index < query.length; index++)
      sum += (query[index] as number) * (codes[start + index] as number);
    best = Math.max(best, sum * (scales[sentence] as number));
  }
  return best;
}

/** The scales of all sentences, then their codes. */
function packSentences(sentences: readonly Float32Array[]): Uint8Array {
  const quantised = sentences.map(quantise);
  const scales = Float32Array.from(quantised, ({ scale }) => scale);
  return Buffer.concat([bytesOf(scales), ...quantised.map(({ codes }) => bytesOf(codes))]);
}

/** The terms of 32 bits, then their counts of 16 bits. */
function packTerms({ terms, counts }: TermCounts): Uint8Array {
  return Buffer.concat([bytesOf(terms), bytesOf(counts)]);
}

function checksumOf(
  id: number,
  group: number,
  scale: number,
  codes: Uint8Array | null,
  terms: Uint8Array,
): number {
  const start = crc32(bytesOf(Float64Array.of(id, group, scale)));
  return crc32(terms, codes ? crc32(codes, start) : start);
}

const bytesOf = (array: Float32Array | Float64Array | Int8Array | Uint16Array | Uint32Array) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Typed arrays of larger elements must begin at a multiple of their size. */
const aligned = (bytes: Uint8Array) => (bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes));
