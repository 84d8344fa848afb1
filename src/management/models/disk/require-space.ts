import { mkdir, statfs } from 'node:fs/promises';
import { OutOfSpace } from '../../../contracts/problems.ts';

/** What stays free for the rest of the machine. */
const reserve = 2 ** 26;

/** Refuses, with the numbers, what the disk of a folder has no room for. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= bytes + reserve) return;
  const inMegabytes = (count: number) => `${Math.ceil(count / 1e6)} MB`;
  throw new OutOfSpace(
    `${inMegabytes(bytes + reserve)} are needed in ${folder}, ${inMegabytes(free)} are free`,
  );
}
