import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../platform/processes/is-alive.ts';

/** What this very process holds: a process id alone may be that of an earlier life (containers count from 1 again). */
const held = new Set<string>();

/** One process at a time pulls into a folder; the others wait, and then find the work done. */
export async function withPullLock<T>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const file = `${folder}.lock`;
  while (!(await take(file))) await wait(200, undefined, { signal });
  held.add(file);
  try {
    return await work();
  } finally {
    held.delete(file);
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(await readFile(file, 'utf8').catch(() => '0'));
  // A holder that died leaves its file behind. An empty file is one that is being written this moment.
  const dead = holder === process.pid ? !held.has(file) : holder > 0 && !isAlive(holder);
  if (dead) await rm(file, { force: true });
  return false;
}
