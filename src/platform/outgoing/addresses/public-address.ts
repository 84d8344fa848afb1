import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not reachable from everywhere, from IANA's special-purpose registry. */
const special4 = subnets('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host agent
  '169.254.0.0/16', // link-local, with the metadata services of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, with Oracle's metadata service
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

/** All that is handed out to the public; the rest is loopback, link-local, site-local, private or multicast. */
const global6 = subnets('ipv6', ['2000::/3']);
const special6 = subnets('ipv6', [
  '2001::/23', // protocol assignments, with Teredo, which carries IPv4 addresses
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries IPv4 addresses
  '3fff::/20', // documentation
]);

/** Whether an address belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  const embedded = embeddedAddress(address);
  if (embedded) return isPublicAddress(embedded);
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** The IPv4 address in a mapped (`::ffff:1.2.3.4`) or NAT64 (`64:ff9b::1.2.3.4`) IPv6 address. */
export function embeddedAddress(address: string): string | undefined {
  const words = wordsOf(address);
  const prefix = words.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:65535' && prefix !== '100:65435:0:0:0:0') return undefined;
  const [high = 0, low = 0] = words.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight words of a valid IPv6 address. */
function wordsOf(address: string): number[] {
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((word) => word.toString(16)).join(':'),
  );
  const [head = [], tail = []] = hexadecimal
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((word) => Number.parseInt(word, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function subnets(family: 'ipv4' | 'ipv6', networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
