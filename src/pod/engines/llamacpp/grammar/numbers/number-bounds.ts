import { schemaProblem } from '../schema-problem.ts';

export interface Bounds {
  minimum?: unknown;
  maximum?: unknown;
  exclusiveMinimum?: unknown;
  exclusiveMaximum?: unknown;
}

/** A bound in units of 10^-places, exact. `open` means that the bound itself is excluded. */
export interface Bound {
  value: bigint;
  open: boolean;
}

export interface Range {
  low: Bound;
  high: Bound;
}

/** Maximum number of digits before the decimal point for unbounded numbers, as in the rule `digits`. */
const usualDigits = 16n;
/** Ranges beyond those may need more digits; 64-bit integers have up to twenty. */
const maxDigits = 20n;

/** Combines the four keywords into one range of numbers that can be written with the allowed digits. */
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
  const furthest = (10n ** maxDigits - 1n) * 10n ** places;
  const range = {
    low: clamped(low, high !== undefined && high.value < -usual ? -furthest : -usual, max),
    high: clamped(high, low !== undefined && low.value > usual ? furthest : usual, min),
  };
  const empty =
    range.low.value > range.high.value ||
    (range.low.value === range.high.value && (range.low.open || range.high.open));
  if (empty)
    throw schemaProblem(where, 'has bounds that no number satisfies, or only numbers with too many digits');
  return range;
}

/** Clamps the bound to `limit`, because numbers beyond it are never written. */
function clamped(bound: Bound | undefined, limit: bigint, inwards: (a: bigint, b: bigint) => bigint): Bound {
  if (bound !== undefined && inwards(bound.value, limit) === bound.value) return bound;
  return { value: limit, open: false };
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);

interface Given {
  value: number;
  open: boolean;
}

/** Reads both keywords of one side. The boolean form comes from JSON Schema draft 4 and OpenAPI 3.0. */
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
    throw schemaProblem(where, `has a ${closed} that no number satisfies`);
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
    // A bound that was rounded inwards is part of the range, even if it was exclusive.
    const bound = { value: rounded.value, open: open && rounded.exact };
    const more = found === undefined ? 1 : order(bound.value, found.value);
    if (more > 0 || (more === 0 && bound.open)) found = bound;
  }
  return found;
}

const roundedDown = (value: number, places: bigint) => scaled(value, places, 0n);
const roundedUp = (value: number, places: bigint) => scaled(value, places, 1n);

/** Converts a number to units of 10^-places. Fractions use their shortest decimal notation. */
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
