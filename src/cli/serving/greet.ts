import { hostname, networkInterfaces } from 'node:os';
import { adminKeyWasSeen } from '../../platform/auth/keys/admin-key.ts';
import type { Platform } from '../../server.ts';
import { type Greeting, greeting } from './greeting.ts';
import { shownAddress } from './shown-address.ts';

interface Started {
  platform: Pick<Platform, 'adminKey' | 'served'>;
  config: { host: string; auth: { open: boolean } };
  /** The platform's address on this machine. */
  local: string;
  seconds: number;
  dispatcher: Greeting['dispatcher'];
}

/** Prints the greeting. A new admin key is part of it only if all output goes to a terminal. Returns the address shown. */
export function greet({ platform, config, local, seconds, dispatcher }: Started): string {
  const { adminKey, served } = platform;
  const terminal = process.stderr.isTTY === true && process.stdout.isTTY === true;
  const address = shownAddress(local, config.host, networkInterfaces(), hostname());
  const { open } = config.auth;
  process.stderr.write(greeting({ adminKey, served, address, local, open, terminal, seconds, dispatcher }));
  if (terminal) adminKeyWasSeen(adminKey);
  return address;
}
