import { schemaProblem } from './schema-problem.ts';

export interface Bounds {
  minimum?: unknown;
  maximum?: unknown;
  exclusiveMinimum?: unknown;
  exclusiveMaximum?: unknown;
}

/** A bound in units of 10^-places, exact; `open` where the bound itself is not allowed. */
export interface Bound {
  value: bigint;
  open: boolean;
}

export interface Range {
  low: Bound;
  high: Bound;
}

/** Unbounded numbers are written with at most so many digits before the point, as in the rule `digits`. */
const usualDigits = 16n;
/** Ranges above all of those may need more; 64-bit integers have twenty. */
const mostDigits = 20n;

/** Reads the four keywords as one range of numbers that can be written out in digits. */
export function readBounds(bounds: Bounds, places: bigint, where: string): Range {
  const low = inner(
    readBound(bounds, 'minimum', 'exclusiveMinimum', where),
    (value) => roundedUp(value, places),
    (a, b) => (a > b ? 1 : a < b ? -1 : 0),
  );
  const high = inner(
    readBound(bounds, 'maximum', 'exclusiveMaximum', where),
    (value) => roundedDown(value, places),
    (a, b) => (a < b ? 1 : a > b ? -1 : 0),
  );
  const usual = (10n ** usualDigits - 1n) * 10n ** places;
  const furthest = (10n ** mostDigits - 1n) * 10n ** places;
  const range = {
    low: moved(low, high !== undefined && high.value < -usual ? -furthest : -usual, max),
    high: moved(high, low !== undefined && low.value > usual ? furthest : usual, min),
  };
  const empty =
    range.low.value > range.high.value ||
    (range.low.value === range.high.value && (range.low.open || range.high.open));
  if (empty)
    throw schemaProblem(where, 'has bounds that no number lies between, or only numbers of too many digits');
  return range;
}

/** The bound, moved inwards to `limit` where it lies beyond it: what lies further out is never written. */
function moved(bound: Bound | undefined, limit: bigint, inwards: (a: bigint, b: bigint) => bigint): Bound {
  if (bound !== undefined && inwards(bound.value, limit) === bound.value) return bound;
  return { value: limit, open: false };
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);

interface Given {
  value: number;
  open: boolean;
}

/** Both keywords of one side; the boolean form is that of JSON Schema's fourth draft and of OpenAPI 3.0. */
function readBound(
  bounds: Bounds,
  closed: 'minimum' | 'maximum',
  exclusive: keyof Bounds,
  where: string,
): Given[] {
  const given: Given[] = [];
  const [plain, strict] = [bounds[closed], bounds[exclusive]];
  for (const [key, value] of [
    [closed, plain],
    [exclusive, typeof strict === 'boolean' ? undefined : strict],
  ] as const)
    if (value !== undefined && value !== null && typeof value !== 'number')
      throw schemaProblem(where, `has a ${key} that is not a number`);
  if (typeof plain === 'number') given.push({ value: plain, open: strict === true });
  if (typeof strict === 'number') given.push({ value: strict, open: true });
  const impossible = closed === 'minimum' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (given.some(({ value }) => value === impossible))
    throw schemaProblem(where, `has a ${closed} that no number reaches`);
  return given.filter(({ value }) => Number.isFinite(value));
}

function inner(
  given: Given[],
  round: (value: number) => { value: bigint; exact: boolean },
  order: (a: bigint, b: bigint) => number,
): Bound | undefined {
  let found: Bound | undefined;
  for (const { value, open } of given) {
    const rounded = round(value);
    // A bound that was moved inwards lies inside the range, open or not.
    const bound = { value: rounded.value, open: open && rounded.exact };
    const more = found === undefined ? 1 : order(bound.value, found.value);
    if (more > 0 || (more === 0 && bound.open)) found = bound;
  }
  return found;
}

const roundedDown = (value: number, places: bigint) => scaled(value, places, 0n);
const roundedUp = (value: number, places: bigint) => scaled(value, places, 1n);

/** The number in units of 10^-places; of a fraction, the shortest decimal notation that names it. */
function scaled(value: number, places: bigint, up: 0n | 1n): { value: bigint; exact: boolean } {
  if (Number.isInteger(value)) return { value: BigInt(value) * 10n ** places, exact: true };
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = parts ?? [];
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const shift = BigInt(exponent) - BigInt(fraction.length) + places;
  if (shift >= 0n) return { value: digits * 10n ** shift, exact: true };
  const divisor = 10n ** -shift;
  const remainder = ((digits % divisor) + divisor) % divisor;
  const floor = (digits - remainder) / divisor;
  return { value: remainder === 0n ? floor : floor + up, exact: remainder === 0n };
}
