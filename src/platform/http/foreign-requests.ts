import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { Forbidden, type Problem } from '../../contracts/problems.ts';
import { isLoopback } from '../config/resolve-platform.ts';

/** The headers that tell whether a web page of someone else sent a request. */
export interface RequestSource {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
}

/** Returns the refusal of a request that a foreign web page made a browser send; undefined for all others. */
export type RefuseForeign = (source: RequestSource) => Problem | undefined;

export interface ForeignRequestSettings {
  /** The address that the server listens on. */
  host: string;
  auth: { open: boolean };
  http: { allowed_hosts: string[]; cors_origins: string[] };
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Names by which containers on this machine reach it. They are not in the public name system. */
const containerNames = ['host.docker.internal', 'host.containers.internal'];

/**
 * Without keys, a browser on this machine lends its access to every page that it shows. A page can rebind its own name
 * to our address, which `Host` reveals, or send writes across origins, which `Origin` and `Sec-Fetch-Site` reveal.
 * Where a key is needed, no page can send one that it does not have.
 */
export function refuseForeign({ host, auth, http }: ForeignRequestSettings): RefuseForeign {
  if (!auth.open) return () => undefined;
  const isOurs = hostCheck(host, http.allowed_hosts);
  const origins = new Set(http.cors_origins);
  return (source) => {
    if (source.host && !isOurs(source.host)) return foreignHost(source.host);
    if (reads.has(source.method)) return undefined;
    const { origin, fetchSite } = source;
    if (origin !== undefined && origins.has(origin)) return undefined;
    const isForeign =
      fetchSite === 'cross-site' || (origin !== undefined && !isSameOrigin(origin, source.host));
    return isForeign ? foreignOrigin(origin) : undefined;
  };
}

function hostCheck(listening: string, allowed: readonly string[]): (host: string) => boolean {
  const names = new Set([listening, hostname(), ...containerNames, ...allowed, ...ownAddresses()].map(lower));
  // Other machines may reach us by addresses and names that we can't know. A page can't rebind an address, nor a name
  // without a dot, which nobody can register.
  const beyondLoopback = !isLoopback(listening);
  const isOurs = (name: string) =>
    names.has(name) ||
    isLoopback(name) ||
    name.endsWith('.localhost') ||
    (beyondLoopback && (isIP(name) !== 0 || !name.includes('.')));
  let lastAccepted = '';
  return (host) => {
    if (host === lastAccepted) return true;
    if (!isOurs(nameIn(host))) return false;
    lastAccepted = host;
    return true;
  };
}

/** The name or address in a `Host` header, without the port. */
function nameIn(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d{0,5}$/, '');
  return lower(name.endsWith('.') ? name.slice(0, -1) : name);
}

const lower = (text: string) => text.toLowerCase();

const ownAddresses = () =>
  Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []);

/** Whether the page came from the server that it calls. Its scheme may differ behind a proxy that ends TLS. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  const authority = /^https?:\/\/(.+)$/i.exec(origin)?.[1];
  return authority !== undefined && host !== undefined && lower(authority) === lower(host);
}

function foreignHost(host: string): Problem {
  const shown = host.slice(0, 100);
  return new Forbidden(
    `'${shown}' is not a name of this machine; add it to http.allowed_hosts, or set auth.open to false and use keys`,
    { code: 'foreign_host' },
  );
}

function foreignOrigin(origin: string | undefined): Problem {
  const from = origin === undefined ? 'another web site' : `'${origin.slice(0, 100)}'`;
  return new Forbidden(
    `a page of ${from} may not change anything here; add its origin to http.cors_origins`,
    {
      code: 'foreign_origin',
    },
  );
}
