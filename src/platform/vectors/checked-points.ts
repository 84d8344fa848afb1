import { BadRequest, Conflict } from '../../contracts/problems.ts';
import type { Point, PointQuery } from './vector-store.ts';

/** Names become file names, so nothing but these characters is accepted. */
const NAME = /^[a-z0-9_-][a-z0-9._-]{0,127}$/;
/** More would not fit where the embedded store keeps the query. */
const maxDimensions = 16_384;

export function checkName(collection: string): void {
  if (!NAME.test(collection)) {
    throw new BadRequest(
      `a collection's name has 1 to 128 lower-case letters, digits, dots, hyphens and underscores, and does not begin with a dot: '${collection}'`,
    );
  }
}

export function checkDimensions(dimensions: number | null): void {
  if (dimensions === null) return;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > maxDimensions)
    throw new BadRequest(`a vector has 1 to ${maxDimensions} dimensions, not ${dimensions}`);
}

/** The point with its vectors at length 1. Arrays are copied where they are views of larger ones. */
export function checkedPoint(point: Point): Point {
  const { id, group, terms } = point;
  checkNumber('id', id);
  checkNumber('group', group);
  if (terms.terms.length !== terms.counts.length)
    throw new BadRequest(`point ${id} has ${terms.terms.length} terms, but counts of ${terms.counts.length}`);
  for (let index = 1; index < terms.terms.length; index++)
    if ((terms.terms[index - 1] as number) >= (terms.terms[index] as number))
      throw new BadRequest(`the terms of point ${id} are not in ascending order`);
  return {
    ...point,
    vector: point.vector && unitVector(point.vector, `the vector of point ${id}`),
    sentences: point.sentences?.map((vector) => unitVector(vector, `a sentence's vector of point ${id}`)),
    terms: { terms: terms.terms.slice(), counts: terms.counts.slice() },
  };
}

export function checkedQuery({ vector, terms, limit, hidden, groups }: PointQuery): PointQuery {
  if (!Number.isInteger(limit) || limit < 0) throw new BadRequest(`a search can't have the limit ${limit}`);
  return {
    vector: vector && unitVector(vector, 'the vector of the question'),
    terms: Uint32Array.from(new Set(terms)),
    limit,
    hidden,
    groups,
  };
}

export function wrongDimensions(collection: string, existing: number, given: number): Conflict {
  return new Conflict(`the collection '${collection}' has vectors of ${existing} dimensions, not ${given}`);
}

export function checkGroups(groups: readonly number[]): void {
  for (const group of groups) checkNumber('group', group);
}

function checkNumber(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new BadRequest(`a point's ${what} is a whole number, not ${value}`);
}

function unitVector(vector: Float32Array, what: string): Float32Array {
  checkDimensions(vector.length);
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) throw new BadRequest(`${what} has a component that is not a finite number`);
  if (length === 0) throw new BadRequest(`${what} has only zeros`);
  return vector.map((value) => value / length);
}
