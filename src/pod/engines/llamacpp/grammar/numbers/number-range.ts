import { atLeast, atMost, between } from './fraction-range.ts';
import { type Bound, type Bounds, readBounds } from './number-bounds.ts';

/** Digits after the decimal point, as in the rule `number`. */
const places = 16;
const unit = 10n ** BigInt(places);
const anyFraction = `("." [0-9]{1,${places}})?`;

/** Rule for integers within the bounds. */
export function integerRange(bounds: Bounds, where: string): string {
  const { low, high } = readBounds(bounds, 0n, where);
  const from = low.open ? low.value + 1n : low.value;
  const to = high.open ? high.value - 1n : high.value;
  const parts: string[] = [];
  if (from < 0n) parts.push(`"-" (${naturals(to < 0n ? -to : 1n, -from)})`);
  if (to >= 0n) parts.push(naturals(from > 0n ? from : 0n, to));
  return parts.join(' | ');
}

/**
 * Rule for numbers within the bounds, with at most sixteen decimals. Bounds with more decimals are rounded inwards.
 */
export function numberRange(bounds: Bounds, where: string): string {
  const { low, high } = readBounds(bounds, BigInt(places), where);
  const parts: string[] = [];
  if (low.value < 0n) {
    const nearest = high.value < 0n ? negated(high) : { value: 0n, open: high.value === 0n && high.open };
    parts.push(`"-" (${decimals(nearest, negated(low))})`);
  }
  if (high.value >= 0n && !(high.value === 0n && high.open))
    parts.push(decimals(low.value >= 0n ? low : { value: 0n, open: false }, high));
  return parts.join(' | ');
}

const negated = ({ value, open }: Bound): Bound => ({ value: -value, open });

/** Decimals from `least` (0 or more) to `most`, both in units of the last decimal. */
function decimals(least: Bound, most: Bound): string {
  const [low, high] = [split(least), split(most)];
  if (low.whole === high.whole)
    return `"${low.whole}" ${between(low.fraction, high.fraction, least.open, most.open)}`;
  const parts = [`"${low.whole}" ${atLeast(low.fraction, least.open)}`];
  if (low.whole + 1n < high.whole)
    parts.push(`(${naturals(low.whole + 1n, high.whole - 1n)}) ${anyFraction}`);
  const last = atMost(high.fraction, most.open);
  if (last !== undefined) parts.push(`"${high.whole}" ${last}`);
  return parts.join(' | ');
}

function split({ value }: Bound): { whole: bigint; fraction: string } {
  return { whole: value / unit, fraction: String(value % unit).padStart(places, '0') };
}

/** Whole numbers from `least` (0 or more) to `most`. */
function naturals(least: bigint, most: bigint): string {
  const parts: string[] = [];
  for (let from = least; from <= most; ) {
    const last = 10n ** BigInt(String(from).length) - 1n;
    const to = last < most ? last : most;
    parts.push(sameLength(String(from), String(to)));
    from = to + 1n;
  }
  return parts.join(' | ');
}

/** Numbers between two numbers with the same number of digits, digit by digit. */
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
