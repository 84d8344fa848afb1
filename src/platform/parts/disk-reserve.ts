import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readiness } from '../http/service.ts';
import type { Logger } from '../telemetry/logger.ts';

const largest = 16 * 2 ** 20;
const lookEvery = 2_000;

export interface DiskReserve {
  /** Whether the disk of the data folder has room. */
  check(): Promise<Readiness>;
  /** Called before a request that may free space: on a full disk, the database needs some to delete rows. */
  lend(): Promise<void>;
  close(): void;
}

interface ReserveOptions {
  folder: string;
  logger: Pick<Logger, 'warn' | 'info'>;
}

/** Keeps a file that is given up when the disk is full, so that deletions still work, and made again afterwards. */
export async function keepDiskReserve({ folder, logger }: ReserveOptions): Promise<DiskReserve> {
  const file = join(folder, 'reserve');
  let held = false;
  let full = false;

  async function look(): Promise<Readiness> {
    const { bavail, blocks, bsize } = await statfs(folder);
    const size = Math.min(largest, Math.floor((blocks * bsize) / 16));
    const free = bavail * bsize;
    if (!held && free > 3 * size) await hold(size);
    const isFull = free < (held ? size / 4 : 2 * size);
    if (isFull && !full) logger.warn({ folder, free }, 'the disk of the data folder is full');
    if (!isFull && full) logger.info({ folder, free }, 'the disk of the data folder has room again');
    full = isFull;
    return full ? { ready: false, detail: 'the disk of the data folder is full' } : { ready: true };
  }

  async function hold(size: number): Promise<void> {
    try {
      await writeFile(file, Buffer.alloc(size), { mode: 0o600 });
      held = true;
    } catch {
      await rm(file, { force: true });
    }
  }

  await look().catch(() => {});
  const timer = setInterval(() => void look().catch(() => {}), lookEvery).unref();
  return {
    check: look,
    async lend() {
      if (!held || (await look()).ready) return;
      held = false;
      await rm(file, { force: true });
    },
    close: () => clearInterval(timer),
  };
}
