import { BlockList, isIP } from 'node:net';
import { embeddedAddress } from './public-address.ts';

/** Where a request would go: the host of its URL, one of the addresses that the name has, and the port. */
export interface Destination {
  host: string;
  address: string;
  port: number;
  /** The address belongs to this machine, where the platform and its pods listen too. */
  local: boolean;
}

export type AllowList = (destination: Destination) => boolean;

interface Entry {
  port: number | undefined;
  matches(host: string, address: string): boolean;
}

/** What the administrator opened. An entry without a port does not open addresses of this machine. */
export function createAllowList(entries: readonly string[]): AllowList {
  const parsed = entries.map(parseEntry).filter((entry) => entry !== undefined);
  return ({ host, address, port, local }) =>
    parsed.some(
      (entry) =>
        (entry.port === port || (entry.port === undefined && !local)) && entry.matches(host, address),
    );
}

export const isAllowEntry = (text: string): boolean => parseEntry(text) !== undefined;

function parseEntry(text: string): Entry | undefined {
  const network = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text.trim());
  if (network) return networkEntry(network[1] ?? '', Number(network[2]));
  const [, host = '', portText] = /^(\[[0-9a-f.:]+\]|[^\s:/[\]@]+)(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const address = isIP(text.trim()) === 6 ? text.trim() : host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family !== 0) return { ...networkEntry(address, family === 4 ? 32 : 128), port } as Entry;
  const name = URL.parse(`http://${host}/`)?.hostname;
  // A host that URL reads as an address (0x7f.1) would never match, since URLs contain the usual form.
  if (!name || !host || isIP(name) !== 0) return undefined;
  return { port, matches: (other) => withoutDot(other) === withoutDot(name) };
}

function networkEntry(address: string, bits: number): Entry | undefined {
  const family = isIP(address);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  return {
    port: undefined,
    matches: (_, other) => {
      const embedded = isIP(other) === 6 ? embeddedAddress(other) : undefined;
      if (isIP(embedded ?? other) === 4) return list.check(embedded ?? other, 'ipv4');
      return isIP(other) === 6 && list.check(other, 'ipv6');
    },
  };
}

const withoutDot = (host: string) => host.toLowerCase().replace(/\.$/, '');
