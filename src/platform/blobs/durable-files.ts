import { mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './file-problems.ts';

/** Moves a complete, synced file into place, so that after a power failure either all of it is there or nothing. */
export async function placeFile(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolder(folder);
      await rename(from, to);
      break;
    } catch (error) {
      // A concurrent delete may remove the folder between the two calls, because it is empty until the rename.
      if (codeOf(error) !== 'ENOENT' || attempt === 10) throw error;
    }
  }
  await syncFolder(folder);
}

/** Creates a folder and syncs the parents of all folders that it created. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(first);
  for (let parent = dirname(folder); parent.length >= top.length; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === dirname(parent)) break;
  }
}

/** Removes a file and then its parent folders that are empty, up to but not including the root. */
export async function removeFile(path: string, root: string): Promise<void> {
  await unlink(path);
  await syncFolder(dirname(path));
  try {
    for (let folder = dirname(path); folder !== root; folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Not empty, or already removed: nothing left to do.
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch((error) => {
    // Removed meanwhile: its content was deleted, so there is nothing to sync.
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
