import { describe, expect, it } from 'vitest';
import { subscriberOf } from './subscriber-of.ts';

describe('subscriberOf', () => {
  it('counts an IPv6 network as one address', () => {
    expect(subscriberOf('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(subscriberOf('2001:db8:1:2:aaaa::1')).toBe(subscriberOf('2001:db8:1:2:bbbb::2'));
    expect(subscriberOf('::1')).toBe('0:0:0:0::/64');
  });
});
