import { createHash, randomUUID } from 'node:crypto';
import { readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../processes/is-alive.ts';

/** An upload that has not grown for this long is considered abandoned, even if its process may be alive. */
const STALE_AFTER = 60 * 60 * 1000;

const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** A name for an unfinished file that identifies the process writing it. */
export function incomingName(): string {
  return `${host}.${process.pid}.${randomUUID()}`;
}

/** Removes unfinished files whose process has exited, and keeps those of other running processes. */
export async function removeStaleFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() && isStale(name, info.mtimeMs)) await unlink(path).catch(() => {});
  }
}

function isStale(name: string, modifiedAt: number): boolean {
  if (Date.now() - modifiedAt > STALE_AFTER) return true;
  const [writerHost, pid] = name.split('.');
  if (writerHost !== host) return false;
  // In a container, the process that died usually had the same pid as this one.
  if (Number(pid) === process.pid) return modifiedAt < Date.now() - process.uptime() * 1000 - 1000;
  return !isAlive(Number(pid));
}
