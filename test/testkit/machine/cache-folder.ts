import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for downloads that tests reuse between runs: ROUNDHOUSE_TEST_CACHE, otherwise in the user's cache. */
export function cacheFolder(name: string): string {
  const base = process.env.ROUNDHOUSE_TEST_CACHE ?? join(homedir(), '.cache', 'roundhouse');
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
