import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive } from '../../platform/processes/is-alive.ts';
import { startOf } from '../../platform/processes/process-start.ts';
import { readAddress } from './server-address.ts';

const Entry = z.object({
  pid: z.int().positive(),
  started: z.string().nullable(),
  data_dir: z.string(),
  parts: z.array(z.string()),
});

export interface RunningPlatform {
  dataDir: string;
  address: string;
  parts: string[];
}

/** Lists the user's platforms for commands in other folders. It holds no secrets: keys stay in the data folders. */
const folderOf = () => join(tmpdir(), `roundhouse-${userInfo().uid}`);

const fileOf = (dataDir: string) =>
  join(folderOf(), `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.json`);

/** Without a usable folder, commands find the platform only from its own folder. */
export function announcePlatform(dataDir: string, parts: readonly string[]): void {
  const entry = { pid: process.pid, started: startOf(process.pid), data_dir: dataDir, parts };
  try {
    mkdirSync(folderOf(), { recursive: true, mode: 0o700 });
    if (!isOurs(folderOf())) return;
    sweep();
    writeFileSync(fileOf(dataDir), JSON.stringify(entry), { mode: 0o600 });
  } catch {
    // A full or read-only disk must not keep the platform from starting.
  }
}

export function withdrawPlatform(dataDir: string): void {
  if (isOurs(folderOf())) rmSync(fileOf(dataDir), { force: true });
}

/** The platforms that this user runs on this machine. */
export function runningPlatforms(): RunningPlatform[] {
  return entries().flatMap(({ entry }) => {
    const address = entry && isRunning(entry) ? readAddress(entry.data_dir) : undefined;
    return entry && address ? [{ dataDir: entry.data_dir, address, parts: entry.parts }] : [];
  });
}

/** Deletes the entries of platforms that were killed. */
function sweep(): void {
  for (const { file, entry } of entries()) if (!entry || !isRunning(entry)) rmSync(file, { force: true });
}

function entries() {
  if (!isOurs(folderOf())) return [];
  return readdirSync(folderOf())
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ file: join(folderOf(), name), entry: read(join(folderOf(), name)) }));
}

function read(file: string): z.infer<typeof Entry> | undefined {
  try {
    return Entry.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Anyone can create this folder in the shared one: an entry of somebody else could lead a key to a foreign address. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === userInfo().uid && (found.mode & 0o022) === 0;
}

const isRunning = ({ pid, started }: z.infer<typeof Entry>) =>
  isAlive(pid) && (started === null || startOf(pid) === started);
