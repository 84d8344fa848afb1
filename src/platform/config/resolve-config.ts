import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { ConfigInput } from './schema.ts';

/** The configuration with every default that depends on another setting filled in. */
export type Config = ConfigInput & {
  auth: { open: boolean };
  database: { url: string };
  blobs: { url: string };
  hosted: { registration: 'open' | 'approval' | 'closed' };
};

interface Refusal {
  path: string[];
  text: string;
}

export function resolveConfig(
  input: ConfigInput,
  workingDirectory: string,
): { config: Config; refusal?: Refusal } {
  const dataDir = resolve(workingDirectory, input.data_dir);
  const open = input.auth.open ?? isLoopback(input.host);
  const config: Config = {
    ...input,
    data_dir: dataDir,
    auth: { ...input.auth, open },
    database: { url: input.database.url ?? `sqlite:${join(dataDir, 'roundhouse.db')}` },
    blobs: { ...input.blobs, url: input.blobs.url ?? `file:${join(dataDir, 'blobs')}` },
    hosted: { registration: input.hosted.registration ?? (open ? 'open' : 'approval') },
  };
  if (open && !isLoopback(input.host) && !input.auth.open_beyond_loopback) {
    const text =
      `anyone who reaches ${input.host} could use this platform without a key; set it to false, ` +
      'listen on 127.0.0.1, or set auth.open_beyond_loopback to true if that is what you want';
    return { config, refusal: { path: ['auth', 'open'], text } };
  }
  return { config };
}

/** Whether only this machine can reach a listener on that address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === '::ffff:127.0.0.1';
}
