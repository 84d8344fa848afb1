import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Unavailable } from '../../../contracts/problems.ts';
import type { AllowList } from './allow-list.ts';
import { notAllowed } from './check-url.ts';
import { embeddedAddress, isPublicAddress } from './public-address.ts';

/** All addresses of a name. */
export type Lookup = (name: string) => Promise<LookupAddress[]>;

export const systemLookup: Lookup = (name) => lookup(name, { all: true, order: 'verbatim' });

export interface GuardDependencies {
  allow: AllowList;
  lookup: Lookup;
}

/** The name of a server does not resolve: mistyped, or this machine has no network. */
export const unknownHostCode = 'unknown_host';

/**
 * The addresses to connect to. If one of a name's addresses is not allowed, the name is refused: connecting to the
 * others would let its owner choose by chance.
 */
export async function addressesOf(
  deps: GuardDependencies,
  host: string,
  port: number,
): Promise<LookupAddress[]> {
  const literal = host.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  const found = family === 0 ? await resolve(deps.lookup, host) : [{ address: literal, family }];
  for (const { address } of found) {
    const local = isOfThisMachine(address);
    if (isPublicAddress(address) && !local) continue;
    if (!deps.allow({ host, address, port, local })) {
      throw notAllowed(
        `${host} is not on the public Internet; an administrator can add ${host}:${port} to the setting outgoing.allow`,
      );
    }
  }
  return found;
}

async function resolve(lookupName: Lookup, host: string): Promise<LookupAddress[]> {
  const unknown = (cause?: unknown) =>
    new Unavailable(`the name ${host} does not resolve`, { code: unknownHostCode, cause });
  const found = await lookupName(host).catch((error: unknown) => {
    throw unknown(error);
  });
  if (found.length === 0) throw unknown();
  return found;
}

/** Loopback and wildcard addresses, and those of the network interfaces, including public ones. */
function isOfThisMachine(address: string): boolean {
  const plain = (isIP(address) === 6 ? embeddedAddress(address) : undefined) ?? address;
  if (/^(127|0)\./.test(plain) || plain === '::1' || plain === '::') return true;
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === plain));
}
