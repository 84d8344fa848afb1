import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Conflict } from '../../../contracts/problems.ts';
import { readOwner, thisProcess, touchEvery, whyLocked } from './lock-owner.ts';

/** What this process holds. */
const held = new Set<string>();

interface LockOptions {
  signal: AbortSignal;
  /** Called with the reason when the lock has to be waited for, and again when the reason changes. */
  onWait?: ((reason: string) => void) | undefined;
}

export const lockOf = (folder: string) => `${folder}.lock`;

/** Lets one process at a time work on a folder. The others wait, and should then check whether the work is done. */
export async function withFolderLock<T>(
  folder: string,
  { signal, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const file = lockOf(folder);
  for (let told = ''; ; ) {
    const reason = await take(file);
    if (reason === null) break;
    if (reason !== told) onWait?.(`waiting for ${file}: ${reason}`);
    told = reason;
    await wait(200, undefined, { signal });
  }
  return keep(file, work);
}

/** As above, but waits only for what is about to end, and does nothing where another is at work on the folder. */
export async function ifFolderFree(
  folder: string,
  work: () => Promise<void>,
  patience = 3_000,
): Promise<void> {
  const file = lockOf(folder);
  const end = performance.now() + patience;
  while ((await take(file)) !== null) {
    if (performance.now() > end) return;
    await wait(50);
  }
  await keep(file, work);
}

/** Whether someone is at work on a folder. */
export async function isLocked(folder: string): Promise<boolean> {
  const file = lockOf(folder);
  const found = await find(file);
  return found !== undefined && whyLocked(found, thisProcess(), held.has(file)) !== null;
}

async function keep<T>(file: string, work: () => Promise<T>): Promise<T> {
  const touch = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, touchEvery);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(file, { force: true });
    held.delete(file);
  }
}

/** Null once the lock is ours; otherwise why it is not. */
async function take(file: string): Promise<string | null> {
  if (await create(file)) return null;
  const found = await find(file);
  if (!found) return 'it was just released';
  const reason = whyLocked(found, thisProcess(), held.has(file));
  if (reason !== null) return reason;
  await removeAbandoned(file, found.text);
  return (await create(file)) ? null : 'another process took it over first';
}

async function create(file: string): Promise<boolean> {
  if (held.has(file)) return false;
  try {
    const handle = await open(file, 'wx');
    held.add(file);
    await handle.writeFile(JSON.stringify(thisProcess())).finally(() => handle.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    if (held.delete(file)) await rm(file, { force: true });
    throw error;
  }
}

async function find(file: string) {
  try {
    const { mtimeMs } = await stat(file);
    const text = await readFile(file, 'utf8');
    return { text, owner: readOwner(text), age: Date.now() - mtimeMs };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Conflict(`the lock ${file} can't be read (${code}); delete it where nothing else uses it`);
  }
}

/** Two processes may find the same abandoned lock: the second must not remove the new lock of the first. */
async function removeAbandoned(file: string, text: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
}
