import { expect, test } from 'vitest';
import { planLanes } from './plan-lanes.ts';

const megabyte = 1024 * 1024;

test.each([
  ['one thread', 1, 23, { count: 1, threads: 1 }],
  ['a thread each for a small model', 4, 23, { count: 4, threads: 1 }],
  ['several threads each where there are many', 15, 23, { count: 7, threads: 2 }],
  ['all threads for a large model', 15, 600, { count: 1, threads: 15 }],
  ['as few copies as fit', 16, 200, { count: 2, threads: 8 }],
])('lanes: %s', (_, threads, megabytes, expected) => {
  expect(planLanes(threads, megabytes * megabyte)).toEqual(expected);
});
