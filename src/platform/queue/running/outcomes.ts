import { Problem } from '../../../contracts/problems.ts';
import { isDatabaseAway } from '../../database/database-problems.ts';
import { toJson } from '../../database/json-column.ts';
import type { WorkKind } from '../work-kind.ts';
import type { Outcome } from './settle-store.ts';

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
      : { state: 'FAILED', error: 'The platform was stopped while this was running.' };
  }
  // The run stopped because another process may hold the item now. If none does, it is handled like a crash.
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

/** The outcome for an item whose process died. */
export function afterCrash(kind: WorkKind, { attempts }: Attempt, now: number): Outcome {
  if (kind.afterCrash === 'fail') {
    return { state: 'FAILED', error: 'The process that ran this exited before it was done.' };
  }
  return attempts < (kind.attempts ?? usualAttempts)
    ? { state: 'CREATED', notBefore: now, error: null, countAttempt: true }
    : {
        state: 'FAILED',
        error: `Given up after ${attempts} attempts: each time the process that ran this exited before it was done.`,
      };
}

/** Messages of problems are meant for users; those of other errors only for the log. */
function reasonFor(id: string, error: unknown): string {
  return error instanceof Problem
    ? error.message
    : `This failed with an internal error; see the server log for ${id}.`;
}
