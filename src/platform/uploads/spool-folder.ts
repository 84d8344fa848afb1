import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../processes/is-alive.ts';

/** Whether the process of a file on another machine is alive can't be known, so its age decides. */
const foreignAge = 86_400_000;
const host = hostname().replaceAll(/[^a-zA-Z0-9]/g, '_');
const spoolName = /^form-(?:([^-]+)-(\d+)-)?/;

/** The path of a new file. Its name says which process it belongs to. */
export function spoolPath(folder: string): string {
  return join(folder, `form-${host}-${process.pid}-${randomUUID()}`);
}

/** Creates the folder, and removes the files that processes left in it which have ended. */
export async function openSpoolFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'uploads');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process that starts at the same time may have removed it.
    if (await isAbandoned(name, path)) await unlink(path).catch(() => undefined);
  }
  return folder;
}

async function isAbandoned(name: string, path: string): Promise<boolean> {
  const match = spoolName.exec(name);
  if (!match) return false;
  const pid = Number(match[2]);
  // This process has none yet. In a container, the one before it had the same number.
  if (match[1] === host) return pid === process.pid || !isAlive(pid);
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > foreignAge;
}
