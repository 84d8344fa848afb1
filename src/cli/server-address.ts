import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The running platform leaves its address in the data folder, for the other commands to find. */
const fileIn = (dataDir: string) => join(dataDir, 'address');

export function rememberAddress(dataDir: string, address: string): void {
  writeFileSync(fileIn(dataDir), `${address}\n`);
}

export function forgetAddress(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

/** Where the platform of this data folder listens or last listened, else where it would by default. */
export function platformAddress(config: {
  data_dir: string;
  host: string;
  port?: number | undefined;
}): string {
  try {
    return readFileSync(fileIn(config.data_dir), 'utf8').trim();
  } catch {
    return `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port ?? 5500}`;
  }
}
