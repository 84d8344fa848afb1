import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended and that nobody has collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
