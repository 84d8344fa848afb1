import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../platform/processes/is-alive.ts';

/** What this process holds. Its process id may also stand in a file from before a restart: containers reuse ids. */
const held = new Set<string>();

/** Lets one process at a time work on a folder. The others wait, and should then check whether the work is done. */
export async function withFolderLock<T>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const file = `${folder}.lock`;
  while (!(await take(file))) await wait(200, undefined, { signal });
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
    // Before its content: another waiter in this process would take the file for one from before a restart.
    held.add(file);
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(await readFile(file, 'utf8').catch(() => '0'));
  // A holder that died leaves its file behind. An empty file is one that is just being written.
  const dead = holder === process.pid ? !held.has(file) : holder > 0 && !isAlive(holder);
  if (dead) await rm(file, { force: true });
  return false;
}
