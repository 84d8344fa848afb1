import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../startup-error.ts';

interface SecretKeyOptions {
  dataDir: string;
  /** ROUNDHOUSE_SECRET_KEY. */
  configured?: string | undefined;
}

/** The key for secrets that are stored: the configured one, or one that is generated in the data folder. */
export function openSecretKey({ dataDir, configured }: SecretKeyOptions): string {
  if (configured !== undefined) return configured;
  const file = join(dataDir, 'secret.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    // Fails if the file exists: of two processes that start at once, one writes it and the other reads it.
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readFileSync(file, 'utf8').trim();
  if (Buffer.from(key, 'base64').length < 32) {
    throw new StartupError(`${file} is not a key: restore it from a backup, or set ROUNDHOUSE_SECRET_KEY`);
  }
  return key;
}
