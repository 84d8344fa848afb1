import { describe, expect, it } from 'vitest';
import { createAllowList, isAllowEntry } from './allow-list.ts';

const remote = { host: 'wiki.corp.example', address: '10.1.2.3', port: 443, local: false };
const allows = (entry: string, destination: Partial<typeof remote> = {}) =>
  createAllowList([entry])({ ...remote, ...destination });

describe('createAllowList', () => {
  it('opens hosts, hosts with a port, addresses and networks', () => {
    expect(allows('wiki.corp.example')).toBe(true);
    expect(allows('WIKI.corp.example.')).toBe(true);
    expect(allows('wiki.corp.example:443')).toBe(true);
    expect(allows('wiki.corp.example:8443')).toBe(false);
    expect(allows('corp.example')).toBe(false);
    expect(allows('10.0.0.0/8')).toBe(true);
    expect(allows('10.1.2.3')).toBe(true);
    expect(allows('10.1.2.3:80')).toBe(false);
    expect(allows('10.2.0.0/16')).toBe(false);
    expect(allows('вики.example', { host: new URL('http://вики.example').hostname })).toBe(true);
  });

  it('knows IPv6 networks, and IPv4 addresses inside IPv6', () => {
    expect(allows('fd00::/8', { address: 'fd12::1' })).toBe(true);
    expect(allows('[fd12::1]:443', { address: 'fd12::1' })).toBe(true);
    expect(allows('fd12::1', { address: 'fd12::1' })).toBe(true);
    expect(allows('10.0.0.0/8', { address: '::ffff:10.1.2.3' })).toBe(true);
    expect(allows('10.0.0.0/8', { address: 'fd12::1' })).toBe(false);
  });

  it('opens addresses of this machine only with their port', () => {
    const here = { host: 'localhost', address: '127.0.0.1', port: 8090, local: true };
    expect(allows('127.0.0.0/8', here)).toBe(false);
    expect(allows('localhost', here)).toBe(false);
    expect(allows('0.0.0.0/0', here)).toBe(false);
    expect(allows('127.0.0.1:8090', here)).toBe(true);
    expect(allows('localhost:8090', here)).toBe(true);
    expect(allows('localhost:5500', here)).toBe(false);
  });

  it('recognises what is no entry', () => {
    const wrong = [
      '',
      'http://wiki',
      'wiki/',
      'a b',
      '10.0.0.0/33',
      'x/8',
      'wiki:0',
      'wiki:70000',
      'u@h',
      '0x7f.1',
    ];
    expect(wrong.filter(isAllowEntry)).toEqual([]);
    const right = ['wiki', 'wiki:80', '10.0.0.0/8', '::1', '[::1]:80', 'fd00::/8', 'вики.рф', 'constructor'];
    expect(right.filter(isAllowEntry)).toEqual(right);
  });
});
