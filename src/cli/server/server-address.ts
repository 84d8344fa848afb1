import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The running platform stores its address in the data folder, so that other commands find it. */
const fileIn = (dataDir: string) => join(dataDir, 'address');

export function rememberAddress(dataDir: string, address: string): void {
  writeFileSync(fileIn(dataDir), `${address}\n`);
}

export function forgetAddress(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

/** The address of the platform that runs on this data folder, or of one that was killed. */
export function readAddress(dataDir: string): string | undefined {
  try {
    return readFileSync(fileIn(dataDir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
