/**
 * Grammar for fractions between bounds, digit by digit. A bound is its digits after the decimal point, padded to the
 * maximum number of places. A fraction may have fewer digits, as if zeros followed.
 */

const zeros = /^0*$/;
/** Matches nothing, for an exclusive lower bound of all nines in the last place. */
const nothing = '[^\\x00-\\U0010FFFF]';
const any = (digits: number) => (digits === 0 ? '' : `[0-9]{0,${digits}}`);

const nonZero = (digits: number) => (digits < 2 ? '[1-9]' : `"0"{0,${digits - 1}} [1-9] ${any(digits - 1)}`);

/** Decimal point and a fraction of at least `low`; optional if `low` is zero and inclusive. */
export function atLeast(low: string, open: boolean): string {
  if (zeros.test(low) && !open) return `("." [0-9]{1,${low.length}})?`;
  return `"." (${from(low, open)})`;
}

/** Decimal point and a fraction of at most `high`, optional; undefined if even zero is too large. */
export function atMost(high: string, open: boolean): string | undefined {
  if (!zeros.test(high)) return `("." (${upTo(high, open, true)}))?`;
  return open ? undefined : `("." "0"{1,${high.length}})?`;
}

/**
 * Decimal point and a fraction from `low` to `high`. Both have the same length, and differ unless both are inclusive.
 */
export function between(low: string, high: string, lowOpen: boolean, highOpen: boolean): string {
  if (zeros.test(low) && !lowOpen) return atMost(high, highOpen) ?? '';
  return `"." (${inside(low, high, lowOpen, highOpen)})`;
}

function inside(low: string, high: string, lowOpen: boolean, highOpen: boolean): string {
  if (low === high) return exactly(low);
  const [first, last] = [Number(low.charAt(0)), Number(high.charAt(0))];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (first === last) {
    if (zeros.test(lowRest) && !lowOpen) return `"${first}" (${upTo(highRest, highOpen, false)})`;
    return `"${first}" (${inside(lowRest, highRest, lowOpen, highOpen)})`;
  }
  return [
    ...digitThen(first, lowRest, lowOpen),
    ...range(first + 1, last - 1, lowRest.length),
    ...(zeros.test(highRest) && highOpen ? [] : [`"${last}" (${upTo(highRest, highOpen, false)})`]),
  ].join(' | ');
}

/** Digits of at least `low`; an exclusive bound requires a further nonzero digit. */
function from(low: string, open: boolean): string {
  if (zeros.test(low)) return open ? nonZero(low.length) : any(low.length) || '""';
  const [first, rest] = [Number(low.charAt(0)), low.slice(1)];
  return [...digitThen(first, rest, open), ...range(first + 1, 9, rest.length)].join(' | ') || nothing;
}

/** Digits of at most `high`; may be empty unless `some`. */
function upTo(high: string, open: boolean, some: boolean): string {
  if (zeros.test(high)) return high.length === 0 ? '""' : `"0"{${some ? 1 : 0},${high.length}}`;
  const [last, rest] = [Number(high.charAt(0)), high.slice(1)];
  return [
    ...range(0, last - 1, rest.length),
    ...(zeros.test(rest) && open ? [] : [`"${last}" (${upTo(rest, open, false)})`]),
    ...(some ? [] : ['""']),
  ].join(' | ');
}

const exactly = (digits: string): string => {
  const significant = digits.replace(/0+$/, '');
  const rest = digits.length - significant.length;
  return `"${significant}"${rest > 0 ? ` "0"{0,${rest}}` : ''}`;
};

/** Empty if no digits are left and the bound is exclusive, because then no number lies between. */
const digitThen = (digit: number, rest: string, open: boolean): string[] =>
  rest === '' && open ? [] : [`"${digit}" (${from(rest, open)})`];

function range(min: number, max: number, rest: number): string[] {
  if (min > max) return [];
  return [`${min === max ? `"${min}"` : `[${min}-${max}]`} ${any(rest)}`.trimEnd()];
}
