import { mkdir, statfs } from 'node:fs/promises';
import { OutOfSpace } from '../../contracts/problems.ts';

/** Kept free for the rest of the machine. */
const reserve = 128 * 2 ** 20;

/** Bytes that are free on the disk of a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

/** Throws, with the numbers, where the disk of a folder has too little space for so many more bytes. */
export async function requireSpace(
  folder: string,
  bytes: number,
  freeBytes: FreeBytes = freeOn,
): Promise<void> {
  if (bytes <= 0) return;
  await mkdir(folder, { recursive: true });
  const free = await freeBytes(folder);
  if (free >= bytes + reserve) return;
  throw new OutOfSpace(
    `not enough disk space in ${folder}: ${inMegabytes(bytes)} needed and ${inMegabytes(reserve)} kept free, ${inMegabytes(free)} available`,
  );
}

/** Bytes that may be written to the disk of a folder. */
export async function spaceIn(folder: string, freeBytes: FreeBytes = freeOn): Promise<number> {
  return Math.max(0, (await freeBytes(folder)) - reserve);
}

const freeOn: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
