import { expect, test } from 'vitest';
import { BadRequest } from '../../../contracts/problems.ts';
import type { WorkKind } from '../work-kind.ts';
import { afterCrash, afterThrow } from './outcomes.ts';

const resumed: WorkKind = { afterCrash: 'resume', attempts: 3, run: async () => null };
const failed: WorkKind = { afterCrash: 'fail', run: async () => null };
const first = { id: 'the-id', attempts: 1 };
const third = { id: 'the-id', attempts: 3 };
const again = (countAttempt: boolean) => ({ state: 'CREATED', notBefore: 1_000, error: null, countAttempt });

test('after a crash: again while attempts are left, or failed where the kind says so', () => {
  expect(afterCrash(resumed, first, 1_000)).toEqual(again(true));
  expect(afterCrash(resumed, third, 1_000)).toMatchObject({
    state: 'FAILED',
    error: expect.stringContaining('after 3 attempts'),
  });
  expect(afterCrash(failed, first, 1_000)).toMatchObject({ state: 'FAILED' });
});

test('a shutdown costs no attempt', () => {
  expect(afterThrow(resumed, third, new Error('aborted'), 'shutdown', 1_000)).toEqual(again(false));
});

test('a lost lease is like a crash, whatever the handler throws on its way out', () => {
  expect(afterThrow(resumed, first, new BadRequest('aborted'), 'lost', 1_000)).toEqual(again(true));
});

test('the kind may decline another attempt for this error', () => {
  const choosy: WorkKind = {
    ...resumed,
    retryAfter: (_, error) => (error instanceof BadRequest ? null : 50),
  };
  expect(afterThrow(choosy, first, new BadRequest('never'), null, 1_000)).toEqual({
    state: 'FAILED',
    error: 'never',
  });
  expect(afterThrow(choosy, first, new Error('perhaps'), null, 1_000)).toMatchObject({
    state: 'CREATED',
    notBefore: 1_050,
  });
  expect(afterThrow(choosy, third, new Error('perhaps'), null, 1_000)).toMatchObject({ state: 'FAILED' });
});
