import { type Command, InvalidArgumentError } from 'commander';
import type { ApiKeyLimits } from '../../contracts/api-keys.ts';
import { positiveInteger } from '../terminal/arguments.ts';

/** `none` removes a limit. */
export interface LimitOptions {
  requestsPerMinute?: number | 'none';
  tokensPerMinute?: number | 'none';
  tokensPerMonth?: number | 'none';
  pagesPerMinute?: number | 'none';
  pagesPerMonth?: number | 'none';
  parallelRequests?: number | 'none';
  models?: string[] | 'none';
}

/** Adds an option per limit. Where limits exist already, each also takes `none`. */
export function withLimitOptions(command: Command, { removable = false } = {}): Command {
  const or = removable ? ', or none' : '';
  const amount = removable ? orNone(positiveInteger) : positiveInteger;
  return command
    .option('--requests-per-minute <number>', `limit of requests per minute${or}`, amount)
    .option('--tokens-per-minute <number>', `limit of tokens per minute${or}`, amount)
    .option('--tokens-per-month <number>', `limit of tokens per calendar month (UTC)${or}`, amount)
    .option('--pages-per-minute <number>', `limit of document pages per minute${or}`, amount)
    .option('--pages-per-month <number>', `limit of document pages per calendar month (UTC)${or}`, amount)
    .option('--parallel-requests <number>', `limit of requests at the same time${or}`, amount)
    .option(
      '--models <names>',
      `comma-separated models that the key may use${removable ? ', or none for all' : ' (default: all)'}`,
      removable ? orNone(names) : names,
    );
}

/** The limits after the change, or undefined if no option was given. */
export function changedLimits(current: ApiKeyLimits, options: LimitOptions): ApiKeyLimits | undefined {
  const limits = new Map<string, unknown>(Object.entries(current));
  const given = fields.filter(([, option]) => options[option] !== undefined);
  for (const [name, option] of given) limits.set(name, options[option]);
  if (given.length === 0) return undefined;
  return Object.fromEntries([...limits].filter(([, value]) => value != null && value !== 'none'));
}

const fields: readonly (readonly [keyof ApiKeyLimits, keyof LimitOptions])[] = [
  ['requests_per_minute', 'requestsPerMinute'],
  ['tokens_per_minute', 'tokensPerMinute'],
  ['tokens_per_month', 'tokensPerMonth'],
  ['pages_per_minute', 'pagesPerMinute'],
  ['pages_per_month', 'pagesPerMonth'],
  ['parallel_requests', 'parallelRequests'],
  ['models', 'models'],
];

const names = (text: string) => text.split(',').map((name) => name.trim());

const orNone =
  <Value>(parse: (text: string) => Value) =>
  (text: string) => {
    if (text === 'none') return text;
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(`${(error as Error).message}, or none`);
    }
  };

/** Limits for people: `requests per minute 60, models a, b`. */
export function describeLimits(limits: ApiKeyLimits): string {
  const set = Object.entries(limits).filter(([, value]) => value != null);
  if (set.length === 0) return 'no limits';
  return set.map(([name, value]) => `${name.replaceAll('_', ' ')} ${[value].flat().join(', ')}`).join('; ');
}
