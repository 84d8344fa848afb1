import { mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './file-problems.ts';

/** Moves a finished, synced file into place so that a power cut leaves either all of it or nothing. */
export async function placeFile(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolder(folder);
      await rename(from, to);
      break;
    } catch (error) {
      // A delete may clear away the folder, empty until our rename, between the two calls.
      if (codeOf(error) !== 'ENOENT' || attempt === 10) throw error;
    }
  }
  await syncFolder(folder);
}

/** Makes a folder and syncs the folders that hold the new names. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(first);
  for (let parent = dirname(folder); parent.length >= top.length; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === dirname(parent)) break;
  }
}

/** Removes a file, then the folders that it leaves empty, up to the root, which stays. */
export async function removeFile(path: string, root: string): Promise<void> {
  await unlink(path);
  await syncFolder(dirname(path));
  try {
    for (let folder = dirname(path); folder !== root; folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Not empty, or already gone: either way there is nothing left to clear.
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch((error) => {
    // Cleared away meanwhile: what it held was deleted, there is nothing to keep.
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
