import { open } from 'node:fs/promises';

/** Waits until files are on the disk itself, so that a power cut can't undo what was reported as done. */
export async function makeDurable(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const handle = await open(path, 'r');
    await handle.datasync().finally(() => handle.close());
  }
}
