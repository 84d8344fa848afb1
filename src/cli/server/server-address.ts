import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The running platform stores its address in the data folder, so that other commands find it. */
const fileIn = (dataDir: string) => join(dataDir, 'address');

export function rememberAddress(dataDir: string, address: string): void {
  writeFileSync(fileIn(dataDir), `${address}\n`);
}

/** Unless another process that shares the data folder has stored its own since. */
export function forgetAddress(dataDir: string, address: string): void {
  if (runningAddress(dataDir) === address) rmSync(fileIn(dataDir), { force: true });
}

/** The address of the platform that runs on this data folder; undefined if none does. */
export function runningAddress(dataDir: string): string | undefined {
  try {
    return readFileSync(fileIn(dataDir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The address from the command line, otherwise the one that the platform of this data folder stored, otherwise the
 * configured one.
 */
export function platformAddress(
  config: { data_dir: string; host: string; port?: number | undefined },
  named: { host?: string; port?: string } = {},
): string {
  const { data_dir, host, port = 5500 } = config;
  const configured = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (named.host !== undefined || named.port !== undefined) return configured;
  return runningAddress(data_dir) ?? configured;
}
