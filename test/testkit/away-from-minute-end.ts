import { until } from './until.ts';

/** Limits per minute count by the clock's minute: what must be counted together must not meet the end of one. */
export async function awayFromMinuteEnd(seconds = 10): Promise<void> {
  await until('the next minute', () => Date.now() % 60_000 < 60_000 - 1000 * seconds);
}
