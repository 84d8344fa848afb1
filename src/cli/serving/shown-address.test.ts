import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { shownAddress } from './shown-address.ts';

const at = (address: string): NetworkInterfaceInfo[] => [
  {
    address,
    internal: address.startsWith('127.'),
    family: address.includes(':') ? 'IPv6' : 'IPv4',
  } as NetworkInterfaceInfo,
];
const docker = { lo: at('127.0.0.1'), docker0: at('172.17.0.1') };

test.each([
  ['127.0.0.1', { ...docker, eth0: at('10.1.2.3') }, 'http://127.0.0.1:5500'],
  ['0.0.0.0', { ...docker, eth0: at('10.1.2.3') }, 'http://10.1.2.3:5500'],
  ['0.0.0.0', { eth0: at('fd00::1'), eth1: at('192.168.0.9') }, 'http://192.168.0.9:5500'],
  ['::', { ...docker, eth0: [...at('fe80::1'), ...at('fd00::1')] }, 'http://[fd00::1]:5500'],
  ['0.0.0.0', { ...docker, eth0: at('169.254.3.4') }, 'http://box:5500'],
])('listening on %s with %j', (host, interfaces, expected) => {
  expect(shownAddress('http://127.0.0.1:5500', host, interfaces, 'box')).toBe(expected);
});
