/**
 * Fractions between bounds, digit by digit. A bound is the digits after the point, as many as are ever written; a
 * fraction may end early, and then reads as if zeros followed.
 */

const zeros = /^0*$/;
/** Matches no text: a bound of all nines that is open, in the last place. */
const nothing = '[^\\x00-\\U0010FFFF]';
const any = (digits: number) => (digits === 0 ? '' : `[0-9]{0,${digits}}`);

const nonZero = (digits: number) => (digits < 2 ? '[1-9]' : `"0"{0,${digits - 1}} [1-9] ${any(digits - 1)}`);

/** The point and a fraction of at least `low`, or nothing where that is zero. */
export function atLeast(low: string, open: boolean): string {
  if (zeros.test(low) && !open) return `("." [0-9]{1,${low.length}})?`;
  return `"." (${from(low, open)})`;
}

/** The point and a fraction of at most `high`, or nothing; undefined where even zero is too much. */
export function atMost(high: string, open: boolean): string | undefined {
  if (!zeros.test(high)) return `("." (${upTo(high, open, true)}))?`;
  return open ? undefined : `("." "0"{1,${high.length}})?`;
}

/** The point and a fraction from `low` to `high`, which are of one length, and not equal unless both are allowed. */
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

/** Digits that are at least `low`; an open bound needs something after it. */
function from(low: string, open: boolean): string {
  if (zeros.test(low)) return open ? nonZero(low.length) : any(low.length) || '""';
  const [first, rest] = [Number(low.charAt(0)), low.slice(1)];
  return [...digitThen(first, rest, open), ...range(first + 1, 9, rest.length)].join(' | ') || nothing;
}

/** Digits that are at most `high`, or none of them unless `some`. */
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

/** Nothing where the digits are used up and the bound is open: there is no number between. */
const digitThen = (digit: number, rest: string, open: boolean): string[] =>
  rest === '' && open ? [] : [`"${digit}" (${from(rest, open)})`];

function range(least: number, most: number, rest: number): string[] {
  if (least > most) return [];
  return [`${least === most ? `"${least}"` : `[${least}-${most}]`} ${any(rest)}`.trimEnd()];
}
