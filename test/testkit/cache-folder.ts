import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where tests keep what they fetched, from run to run: ROUNDHOUSE_TEST_CACHE, else a folder of the user's cache. */
export function cacheFolder(name: string): string {
  const base = process.env.ROUNDHOUSE_TEST_CACHE ?? join(homedir(), '.cache', 'roundhouse');
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
