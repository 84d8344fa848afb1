import { expect, it } from 'vitest';
import { timeOf } from './time-to-eval.ts';

it.each([
  ['2026-03-01 02:30Z', '2026-03-01T02:30:00.000Z'],
  ['2026-03-01 02:30+03:00', '2026-02-28T23:30:00.000Z'],
  ['2026-03-01 02:30 -0500', '2026-03-01T07:30:00.000Z'],
])('%s', (text, expected) => {
  expect(new Date(timeOf(text)).toISOString()).toBe(expected);
});

it("is in the server's time zone without an offset", () => {
  expect(timeOf('2026-03-01 02:30')).toBe(new Date(2026, 2, 1, 2, 30).getTime());
});
