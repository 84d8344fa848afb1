import { describe, expect, it } from 'vitest';
import { embeddedAddress, isPublicAddress } from './public-address.ts';

const refused = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
  168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 203.0.113.9
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 0:0:0:0:0:ffff:a9fe:a9fe ::ffff:0:127.0.0.1
  64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 fd20:ce::254 ff02::1
  100::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 3fff::1 5f00::1 4000::1
`;
const taken = `
  1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 223.255.255.255
  77.88.55.242 2606:4700::1111 2a02:6b8::2:242 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b::808:808
`;
const words = (text: string) => text.trim().split(/\s+/);

describe('isPublicAddress', () => {
  it.each(words(refused))('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(words(taken))('%s is', (address) => expect(isPublicAddress(address)).toBe(true));
  it.each(['', 'localhost', '127.1', '0x7f.1', '2130706433', '1.2.3.4.5', ':::', 'constructor'])(
    '%s is no address',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );
});

it('finds the IPv4 address inside an IPv6 address', () => {
  expect(embeddedAddress('::ffff:169.254.169.254')).toBe('169.254.169.254');
  expect(embeddedAddress('::FFFF:A9FE:A9FE')).toBe('169.254.169.254');
  expect(embeddedAddress('64:ff9b::c0a8:101')).toBe('192.168.1.1');
  expect(embeddedAddress('2606:4700::1111')).toBeUndefined();
});
