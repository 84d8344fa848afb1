import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** When a process started, in the kernel's own unit: tells it from another that got its id later. Null where unknown. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, and may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Where process ids mean the same as here: containers of one machine have their own. */
export function processSpace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
