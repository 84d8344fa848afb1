import type { Leaf } from './leaves.ts';

type Units = readonly (readonly [string, number])[];

const durations: Units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

const sizes: Units = [
  ['GiB', 2 ** 30],
  ['GB', 1e9],
  ['MiB', 2 ** 20],
  ['MB', 1e6],
  ['KiB', 2 ** 10],
  ['KB', 1e3],
  ['B', 1],
];

/** Writes milliseconds or bytes in the largest unit that gives a whole number, as the configuration file takes them. */
export function withUnit(value: number, measure: Leaf['measure']): string {
  if (measure === undefined) return String(value);
  if (value === 0) return measure === 'duration' ? '0s' : '0B';
  const units = measure === 'duration' ? durations : sizes;
  const [unit, amount] = units.find(([, each]) => value % each === 0) ?? (units.at(-1) as Units[number]);
  return `${value / amount}${unit}`;
}
