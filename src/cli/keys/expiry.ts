import { InvalidArgumentError } from 'commander';

/** A date without a time means the end of that day, in this machine's time zone. */
export function expiry(text: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59` : text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('expected 2027-01-31 or 2027-01-31T18:00:00Z');
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError('must be in the future');
  return time.toISOString();
}

/** For a key that may have an expiry already. */
export const expiryOrNever = (text: string) => (text === 'never' ? text : expiry(text));
