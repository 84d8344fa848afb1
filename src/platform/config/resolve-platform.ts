import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { PlatformInput } from './platform-settings.ts';

/** The platform's own settings, including defaults that depend on other settings. */
export type PlatformConfig = PlatformInput & {
  machine: string;
  auth: { open: boolean };
  telemetry: { metrics: MetricsAccess };
  database: { url: string };
  blobs: { url: string };
};

type MetricsAccess = NonNullable<PlatformInput['telemetry']['metrics']>;

export interface Refusal {
  path: string[];
  text: string;
}

export function resolvePlatform<Input extends PlatformInput>(
  input: Input,
  workingDirectory: string,
): { config: Input & PlatformConfig; refusal?: Refusal } {
  const dataDir = resolve(workingDirectory, input.data_dir);
  const open = input.auth.open ?? isLoopback(input.host);
  const metrics: MetricsAccess =
    input.telemetry.metrics ?? (open && isLoopback(input.host) ? 'public' : 'key');
  const config = {
    ...input,
    data_dir: dataDir,
    machine: input.machine ?? `${hostname()}:${dataDir}`,
    auth: { ...input.auth, open },
    telemetry: { ...input.telemetry, metrics },
    database: { url: input.database.url ?? `sqlite:${join(dataDir, 'roundhouse.db')}` },
    blobs: { ...input.blobs, url: input.blobs.url ?? `file:${join(dataDir, 'blobs')}` },
  };
  if (open && !isLoopback(input.host) && !input.auth.open_beyond_loopback) {
    const text =
      `anyone who can reach ${input.host} could use this platform without a key; set it to false, ` +
      'listen on 127.0.0.1, or set auth.open_beyond_loopback to true if that is intended';
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
