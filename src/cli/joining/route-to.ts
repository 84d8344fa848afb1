import { once } from 'node:events';
import { StartupError } from '../../platform/startup-error.ts';
import { addressOf, openSocket } from '../../platform/wire/open-socket.ts';

export interface RouteToPlatform {
  /** The address that this machine has on the way to the platform. */
  local: string;
  /** The platform's own address. */
  remote: string;
}

/** Connects to the platform to see through which of this machine's addresses that goes. */
export async function routeTo(platform: string): Promise<RouteToPlatform> {
  const url = new URL(platform);
  const socket = openSocket({ ...addressOf(url), secure: false }, { connectTimeout: 8_000 });
  try {
    await once(socket, 'connect');
    return { local: plain(socket.localAddress), remote: plain(socket.remoteAddress) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartupError(`can't reach a platform at ${platform} (${code ?? message})`);
  } finally {
    socket.destroy();
  }
}

/** IPv4 addresses of a socket that takes both versions are written like IPv6. */
const plain = (address = '') => address.replace(/^::ffff:(?=\d+\.)/i, '');
