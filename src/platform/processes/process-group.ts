import { type ChildProcess, spawn } from 'node:child_process';

/** Signals a child and everything it started. A group that no longer exists is not an error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills the remaining processes of a group and waits until they are gone. */
export async function endGroup(pid: number): Promise<void> {
  signalGroup(pid, 'SIGKILL');
  // Zombies still count as members, and in a container without an init they are never reaped, so the wait is bounded.
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
 * Kills a pod's process group when this process dies, however it dies. The guard is a shell that waits for the end of
 * a pipe that only this process holds open, then gives the pod, which sees its own channel close, time to exit.
 */
export function guardGroup(pid: number, graceSeconds: number): ChildProcess {
  const script = `read -r _; sleep ${graceSeconds}; kill -s KILL -- -${pid} 2>/dev/null`;
  const guard = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

/** Ends the guard before its pipe closes: it must not kill a process group whose id has been reused. */
export function dismissGuard(guard: ChildProcess): void {
  if (guard.pid !== undefined && guard.exitCode === null) signalGroup(guard.pid, 'SIGKILL');
}
