import { describe, expect, test } from 'vitest';
import { BadRequest, OutOfSpace, Unavailable } from '../../contracts/problems.ts';
import { databaseProblem, isDatabaseAway } from './database-problems.ts';

const failure = (code: string | undefined, message = 'failed') =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('databaseProblem', () => {
  test.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '53300', '08006'])('%s: it is away', (code) => {
    const problem = databaseProblem(failure(code));
    expect(problem).toBeInstanceOf(Unavailable);
    expect(problem).toMatchObject({ status: 503, retryAfter: 5 });
    expect(isDatabaseAway(problem)).toBe(true);
  });

  test('messages of the client library without a code', () => {
    expect(isDatabaseAway(databaseProblem(failure(undefined, 'Connection terminated unexpectedly')))).toBe(
      true,
    );
  });

  test.each(['SQLITE_FULL', '53100'])('%s: the disk is full', (code) => {
    expect(databaseProblem(failure(code))).toBeInstanceOf(OutOfSpace);
  });

  test.each(['22021', '22P05'])('%s: a null character', (code) => {
    expect(databaseProblem(failure(code))).toBeInstanceOf(BadRequest);
  });

  test('other errors stay as they are', () => {
    for (const error of [failure('23505'), failure(undefined), 'text', new Unavailable('no pod')]) {
      expect(databaseProblem(error)).toBe(error);
      expect(isDatabaseAway(error)).toBe(false);
    }
  });
});
