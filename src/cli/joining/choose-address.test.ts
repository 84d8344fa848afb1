import { describe, expect, test } from 'vitest';
import { chooseAddress } from './choose-address.ts';

const elsewhere = { local: '10.0.0.7', remote: '10.0.0.1' };
const here = { local: '127.0.0.1', remote: '127.0.0.1' };
const chosen = (wishes: Parameters<typeof chooseAddress>[0], route = elsewhere) => {
  const { host, advertised } = chooseAddress(wishes, route);
  return [host, advertised(8000)];
};

describe('the address of a joining pod', () => {
  test.each([
    ['the route to the platform', {}, ['10.0.0.7', 'http://10.0.0.7:8000']],
    ['all addresses', { host: '0.0.0.0' }, ['0.0.0.0', 'http://10.0.0.7:8000']],
    ['one of several', { host: '192.168.0.2' }, ['192.168.0.2', 'http://192.168.0.2:8000']],
    ['a name', { advertise: 'gpu-1.lan' }, ['0.0.0.0', 'http://gpu-1.lan:8000']],
    ['a forwarded port', { advertise: '203.0.113.5:9000' }, ['0.0.0.0', 'http://203.0.113.5:9000']],
    ['port 80', { advertise: '203.0.113.5:80' }, ['0.0.0.0', 'http://203.0.113.5:80']],
    ['port 443', { advertise: 'https://gpu-1.lan:443/' }, ['0.0.0.0', 'https://gpu-1.lan:443']],
    ['IPv6 that ends like a port', { advertise: 'fd00::80' }, ['0.0.0.0', 'http://[fd00::80]:8000']],
    ['a URL', { advertise: 'https://gpu-1.lan:8443' }, ['0.0.0.0', 'https://gpu-1.lan:8443']],
    ['IPv6', { advertise: 'fd00::7' }, ['0.0.0.0', 'http://[fd00::7]:8000']],
    ['both', { host: '10.0.0.7', advertise: '[fd00::7]:81' }, ['10.0.0.7', 'http://[fd00::7]:81']],
  ])('%s', (_, wishes, expected) => {
    expect(chosen(wishes)).toEqual(expected);
  });

  test('on the machine of the platform', () => {
    expect(chosen({}, here)).toEqual(['127.0.0.1', 'http://127.0.0.1:8000']);
    expect(chosen({ host: '127.0.0.2' }, here)).toEqual(['127.0.0.2', 'http://127.0.0.2:8000']);
  });

  test.each([
    [
      'a loopback address for another machine',
      { advertise: '127.0.0.1' },
      /can't reach this pod at 127.0.0.1: use 10.0.0.7/,
    ],
    ['its name', { advertise: 'localhost:8000' }, /can't reach this pod at localhost/],
    ['listening on loopback only', { host: '127.0.0.1' }, /can't reach this pod at 127.0.0.1/],
    ['a wildcard', { advertise: '0.0.0.0' }, /name one with --advertise/],
    ['a path', { advertise: 'gpu-1/v1' }, /expects a host or host:port/],
    ['nothing', { advertise: '' }, /expects a host or host:port/],
    ['a port that is none', { advertise: 'gpu-1:99999' }, /expects a host or host:port/],
  ])('refuses %s', (_, wishes, message) => {
    expect(() => chosen(wishes)).toThrow(message);
  });
});
