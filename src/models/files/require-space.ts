import { mkdir, statfs } from 'node:fs/promises';
import { OutOfSpace } from '../../contracts/problems.ts';

/** What stays free for the rest of the machine. */
const reserve = 2 ** 26;

/** Refuses, with the numbers, what the disk of a folder has no room for. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const free = await freeOn(folder);
  if (free >= bytes + reserve) return;
  throw new OutOfSpace(
    `${inMegabytes(bytes + reserve)} are needed in ${folder}, ${inMegabytes(free)} are free`,
  );
}

/** The bytes that are free on the disk of a folder. */
export async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
