import { Problem } from '../../contracts/problems.ts';
import { isDatabaseAway } from '../database/database-problems.ts';
import { toJson } from '../database/json-column.ts';
import type { Outcome } from './settle-store.ts';
import type { WorkKind } from './work-kind.ts';

const usualAttempts = 5;
/** Milliseconds until work that failed because the database was away is started again. */
const awayPause = 5_000;

/** Why a handler's signal was aborted. */
export type Interruption = 'canceled' | 'shutdown' | 'lost';

interface Attempt {
  id: string;
  attempts: number;
}

export function afterReturn(result: unknown): Outcome {
  return { state: 'FINISHED', result: toJson(result) };
}

export function afterThrow(
  kind: WorkKind,
  { id, attempts }: Attempt,
  error: unknown,
  interruption: Interruption | null,
  now: number,
): Outcome {
  if (interruption === 'shutdown') {
    return kind.afterCrash === 'resume'
      ? { state: 'CREATED', notBefore: now, error: null, countAttempt: false }
      : { state: 'FAILED', error: 'The platform was stopped while this ran.' };
  }
  // It stopped because another process may have the item by now; if none has, it goes on as after a crash.
  if (interruption === 'lost') return afterCrash(kind, { id, attempts }, now);
  // Nothing is wrong with the work itself.
  if (isDatabaseAway(error) && kind.afterCrash === 'resume') {
    return { state: 'CREATED', notBefore: now + awayPause, error: null, countAttempt: false };
  }
  const reason = reasonFor(id, error);
  const wait = attempts < (kind.attempts ?? usualAttempts) ? kind.retryAfter?.(attempts, error) : null;
  return typeof wait === 'number'
    ? { state: 'CREATED', notBefore: now + wait, error: reason, countAttempt: true }
    : { state: 'FAILED', error: reason };
}

/** The process that ran it is gone. */
export function afterCrash(kind: WorkKind, { attempts }: Attempt, now: number): Outcome {
  if (kind.afterCrash === 'fail') {
    return { state: 'FAILED', error: 'The process that ran this ended before it was done.' };
  }
  return attempts < (kind.attempts ?? usualAttempts)
    ? { state: 'CREATED', notBefore: now, error: null, countAttempt: true }
    : {
        state: 'FAILED',
        error: `Given up: the process that ran this ended before it was done, ${attempts} times.`,
      };
}

/** A problem is meant to be read by users; what another error says is for the log alone. */
function reasonFor(id: string, error: unknown): string {
  return error instanceof Problem
    ? error.message
    : `An internal fault ended this; the log has it under ${id}.`;
}
