import type { NetworkInterfaceInfo } from 'node:os';

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Networks between this machine and its own containers, which others can't reach. */
const virtual = /^(?:docker|br-|veth|virbr|cni|flannel|cali|podman|lxc|vmnet|vboxnet)/;

const wildcards = new Set(['0.0.0.0', '::', '']);

/**
 * The URL to give to others. A listener on a wildcard address is reached at the machine's own addresses, of which the
 * first of a real network is taken, or by the machine's name if it has none.
 */
export function shownAddress(local: string, host: string, interfaces: Interfaces, machine: string): string {
  if (!wildcards.has(host)) return local;
  const url = new URL(local);
  return `http://${primaryAddress(interfaces) ?? machine}:${url.port || 80}`;
}

function primaryAddress(interfaces: Interfaces): string | undefined {
  const real = Object.entries(interfaces)
    .filter(([name]) => !virtual.test(name))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^(?:169\.254\.|fe80:)/i.test(address));
  const version4 = real.find(({ family }) => family === 'IPv4')?.address;
  if (version4 !== undefined) return version4;
  const version6 = real.find(({ family }) => family === 'IPv6')?.address;
  return version6 && `[${version6}]`;
}
