import { z } from 'zod';
import { isAlive } from '../../../platform/processes/is-alive.ts';
import { processSpace, startOf } from '../../../platform/processes/process-start.ts';

const LockOwner = z.object({ space: z.string(), pid: z.int().positive(), started: z.string().nullable() });
export type LockOwner = z.infer<typeof LockOwner>;

export interface FoundLock {
  /** Undefined where the file is empty or is not ours. */
  owner: LockOwner | undefined;
  /** Milliseconds since the owner last touched the file. */
  age: number;
}

/** An owner touches its file this often, so that an old file has no owner. */
export const touchEvery = 5_000;
const abandonedAfter = 60_000;

export const thisProcess = (): LockOwner => ({
  space: processSpace(),
  pid: process.pid,
  started: startOf(process.pid),
});

export function readOwner(text: string): LockOwner | undefined {
  try {
    return LockOwner.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Why a lock still counts, in words; null where its owner is gone and it may be taken over. */
export function whyLocked({ owner, age }: FoundLock, self: LockOwner, heldHere: boolean): string | null {
  if (heldHere) return 'other work of this process uses the same folder';
  if (owner?.space === self.space) {
    if (owner.pid === self.pid && owner.started === self.started) return null;
    if (!isAlive(owner.pid)) return null;
    const started = startOf(owner.pid);
    if (started !== null && started === owner.started) return `process ${owner.pid} uses the same folder`;
    if (started !== null && owner.started !== null) return null;
  }
  if (age > abandonedAfter) return null;
  const wait = `it is taken over ${abandonedAfter / 1000} s after it was last written`;
  return owner
    ? `process ${owner.pid} on ${owner.space.split(' ')[0]} uses the same folder; ${wait}`
    : `the lock names no owner; ${wait}`;
}
