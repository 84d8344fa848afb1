import type { ApiKeyLimits } from '../../contracts/api-keys.ts';

/** What is counted. A new unit needs a name here, a budget below and a limit in `contracts/api-keys.ts`. */
export type Unit = 'requests' | 'tokens' | 'pages';
export type Used = { readonly [unit in Exclude<Unit, 'requests'>]?: number };

/** `running`: counted while a request runs, and given back at its end. */
type Window = 'minute' | 'month' | 'running';

export interface Budget {
  readonly limit: Exclude<keyof ApiKeyLimits, 'models'>;
  readonly unit: Unit;
  readonly window: Window;
  readonly words: string;
}

/** In the order in which a request takes from them: first those that need to know nothing of its body. */
export const budgets: readonly Budget[] = [
  { limit: 'parallel_requests', unit: 'requests', window: 'running', words: 'parallel requests' },
  { limit: 'requests_per_minute', unit: 'requests', window: 'minute', words: 'requests per minute' },
  { limit: 'tokens_per_minute', unit: 'tokens', window: 'minute', words: 'tokens per minute' },
  { limit: 'tokens_per_month', unit: 'tokens', window: 'month', words: 'tokens per month' },
  { limit: 'pages_per_minute', unit: 'pages', window: 'minute', words: 'pages per minute' },
  { limit: 'pages_per_month', unit: 'pages', window: 'month', words: 'pages per month' },
];

/** Where parallel requests stand in the list. */
export const places = budgets.findIndex(({ window }) => window === 'running');

/** The first budget whose amount depends on the body. */
export const firstOfBody = budgets.findIndex(({ unit }) => unit !== 'requests');

const minute = 60_000;
/** Minutes are counted from here, so that their number fits the 24 bits that `balances.ts` has for it until 2055. */
const epoch = Date.UTC(2024, 0);

/** The number of the minute or month that a moment belongs to. */
export function periodOf(window: Window, now: number): number {
  if (window === 'running') return 0;
  if (window === 'minute') return Math.floor((now - epoch) / minute);
  const date = new Date(now);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Seconds until the budget is full again. */
export function secondsLeft(window: Window, now: number): number {
  if (window === 'running') return 1;
  if (window === 'minute') return (minute - (now % minute)) / 1000;
  const date = new Date(now);
  return (Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - now) / 1000;
}

/** The first day of the month, as `usage_days` writes it. */
export function firstOfMonth(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}
