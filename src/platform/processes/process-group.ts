import { type ChildProcess, spawn } from 'node:child_process';

/** Signals a child and everything it started. A group that is gone already is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills what is left of a group and waits until it is gone. */
export async function endGroup(pid: number): Promise<void> {
  signalGroup(pid, 'SIGKILL');
  // Dead members that nobody has collected yet (a container without an init) still count: no endless wait for them.
  for (let round = 0; round < 100 && groupIsAlive(pid); round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function groupIsAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills a pod's process group when this process dies, however it dies: a shell that waits for the end of a pipe
 * which we alone hold open. The pod has a moment before that, since it sees its own channel close.
 */
export function guardGroup(pid: number, graceSeconds: number): ChildProcess {
  const script = `read -r _; sleep ${graceSeconds}; kill -s KILL -- -${pid} 2>/dev/null`;
  const guard = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

/** Ends the guard itself, before its pipe closes: it must not kill a group that has been given to others since. */
export function dismissGuard(guard: ChildProcess): void {
  if (guard.pid !== undefined && guard.exitCode === null) signalGroup(guard.pid, 'SIGKILL');
}
