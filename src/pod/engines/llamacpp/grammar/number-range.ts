import { schemaProblem } from './schema-problem.ts';

export interface Bounds {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

const mostDigits = 16;

/** Integers between the bounds, both inclusive; an open side goes on for sixteen digits. */
export function integerRange(bounds: Bounds, where: string): string {
  const low = Math.max(
    Math.ceil(bounds.minimum ?? Number.NEGATIVE_INFINITY),
    Math.floor(bounds.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + 1,
  );
  const high = Math.min(
    Math.floor(bounds.maximum ?? Number.POSITIVE_INFINITY),
    Math.ceil(bounds.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - 1,
  );
  if (low > high) throw schemaProblem(where, `allows no integer between ${low} and ${high}`);
  return signed(low, high, naturals);
}

/** Numbers between the bounds. A bound that is no integer is moved inwards to one. */
export function numberRange(bounds: Bounds, where: string): string {
  const low = Math.max(
    bounds.minimum ?? Number.NEGATIVE_INFINITY,
    bounds.exclusiveMinimum ?? Number.NEGATIVE_INFINITY,
  );
  const high = Math.min(
    bounds.maximum ?? Number.POSITIVE_INFINITY,
    bounds.exclusiveMaximum ?? Number.POSITIVE_INFINITY,
  );
  const openLow = bounds.exclusiveMinimum !== undefined && bounds.exclusiveMinimum === low;
  const openHigh = bounds.exclusiveMaximum !== undefined && bounds.exclusiveMaximum === high;
  const [from, to] = [Math.ceil(low), Math.floor(high)];
  if (from > to || (from === to && (openLow || openHigh)))
    throw schemaProblem(where, `allows no number that can be enforced between ${low} and ${high}`);
  const isOpen = (bound: number) =>
    (openLow && bound === Math.abs(from) && from === low) ||
    (openHigh && bound === Math.abs(to) && to === high);
  return signed(from, to, (least, most) => decimals(least, most, isOpen));
}

/** Splits a range at zero: what is below is written with a minus and counted upwards. */
function signed(low: number, high: number, positive: (least: number, most: number) => string): string {
  const parts: string[] = [];
  if (low < 0) parts.push(`"-" (${positive(Math.max(high < 0 ? -high : 0, high < 0 ? 1 : 0), -low)})`);
  if (high >= 0) parts.push(positive(Math.max(0, low), high));
  return parts.join(' | ');
}

function decimals(least: number, most: number, isOpen: (bound: number) => boolean): string {
  const fraction = '("." [0-9]{1,16})?';
  const parts: string[] = [];
  const from = isOpen(least) ? least + 1 : least;
  if (isOpen(least) && least < most) parts.push(`"${least}" "." [0-9]{0,15} [1-9]`);
  if (from < most)
    parts.push(`(${naturals(from, most === Number.POSITIVE_INFINITY ? most : most - 1)}) ${fraction}`);
  if (Number.isFinite(most) && !isOpen(most)) parts.push(`"${most}" ("." "0"{1,16})?`);
  return parts.join(' | ');
}

/** Whole numbers from `least` (0 or more) to `most`. */
function naturals(least: number, most: number): string {
  if (!Number.isFinite(most)) {
    const digits = String(least).length;
    const longer = digits < mostDigits ? ` | [1-9] [0-9]{${digits},${mostDigits - 1}}` : '';
    return sameLength(String(least), '9'.repeat(digits)) + longer;
  }
  const parts: string[] = [];
  for (let from = least; from <= most; ) {
    const digits = String(from).length;
    const to = Math.min(most, 10 ** digits - 1);
    parts.push(sameLength(String(from), String(to)));
    from = to + 1;
  }
  return parts.join(' | ');
}

/** Numbers between two of the same length, digit by digit. */
function sameLength(low: string, high: string): string {
  if (low === high) return `"${low}"`;
  const [first, last] = [low.charAt(0), high.charAt(0)];
  const rest = low.length - 1;
  if (rest === 0) return `[${first}-${last}]`;
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (first === last) return `"${first}" (${sameLength(lowRest, highRest)})`;
  const parts: string[] = [];
  const lowIsRound = /^0*$/.test(lowRest);
  const highIsFull = /^9*$/.test(highRest);
  const from = lowIsRound ? Number(first) : Number(first) + 1;
  const to = highIsFull ? Number(last) : Number(last) - 1;
  if (!lowIsRound) parts.push(`"${first}" (${sameLength(lowRest, '9'.repeat(rest))})`);
  if (from <= to) parts.push(`${from === to ? `"${from}"` : `[${from}-${to}]`} [0-9]{${rest}}`);
  if (!highIsFull) parts.push(`"${last}" (${sameLength('0'.repeat(rest), highRest)})`);
  return parts.join(' | ');
}
