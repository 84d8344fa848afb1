import { isIP } from 'node:net';
import { isLoopback } from '../../platform/config/resolve-platform.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { RouteToPlatform } from './route-to.ts';

interface Wishes {
  /** `--advertise`: a host, `host:port` or a URL. */
  advertise?: string | undefined;
  /** `--host` */
  host?: string | undefined;
}

export interface ChosenAddress {
  /** Where the pod listens. */
  host: string;
  /** The address that the platform is told, for the port that the pod gets. */
  advertised(port: number): string;
}

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::';

/** Where a joining pod listens, and at which address the platform reaches it. */
export function chooseAddress({ advertise, host }: Wishes, route: RouteToPlatform): ChosenAddress {
  const told = advertise === undefined ? undefined : readAdvertised(advertise);
  const listening = host ?? (told ? '0.0.0.0' : route.local);
  const reached = told?.host ?? (isWildcard(listening) ? route.local : listening);
  if (isWildcard(reached)) {
    throw new StartupError(
      `${reached} is not an address that the platform can connect to: name one with --advertise`,
    );
  }
  if (isLoopback(reached) && !isLoopback(route.remote)) {
    throw new StartupError(
      `the platform is on another machine and can't reach this pod at ${reached}: use ${route.local} or another address of this machine with --advertise`,
    );
  }
  return {
    host: listening,
    advertised: (port) => `${told?.scheme ?? 'http'}://${bracketed(reached)}:${told?.port || port}`,
  };
}

function readAdvertised(text: string): { host: string; port: string; scheme: string } {
  const bare = isIP(text) === 6 ? `[${text}]` : text;
  const url = URL.parse(/^https?:\/\//.test(bare) ? bare : `http://${bare}`);
  if (!url?.hostname || url.pathname !== '/' || url.search || url.username) {
    throw new StartupError(`--advertise expects a host or host:port, such as 10.0.0.7:8000; got "${text}"`);
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // A URL drops the port that its scheme has anyway.
    port: url.port || (/:(?:80|443)\/?$/.exec(bare)?.[0].replace(/\D/g, '') ?? ''),
    scheme: url.protocol.slice(0, -1),
  };
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);
