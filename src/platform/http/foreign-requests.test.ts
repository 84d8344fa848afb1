import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type RequestSource, refuseForeign } from './foreign-requests.ts';

const page = 'https://friend.example';
function check(source: Partial<RequestSource>, host = '127.0.0.1', open = true, allowed: string[] = []) {
  const http = { allowed_hosts: allowed, cors_origins: [page] };
  const refuse = refuseForeign({ host, auth: { open }, http });
  const plain = { method: 'POST', host: 'localhost:5500', origin: undefined, fetchSite: undefined };
  return refuse({ ...plain, ...source })?.code ?? 'accepted';
}

describe('refuseForeign', () => {
  it.each([
    'localhost',
    'LOCALHOST:5500',
    'localhost.',
    '127.0.0.1:5500',
    '127.8.9.1',
    '[::1]:5500',
    'console.localhost:5500',
    `${hostname()}:5500`,
    'host.docker.internal:5500',
    undefined,
  ])('accepts the host %s', (host) => {
    expect(check({ host })).toBe('accepted');
    expect(check({ host, method: 'GET' })).toBe('accepted');
  });

  it.each([
    'evil.example',
    'evil.example:5500',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '198.51.100.7:5500',
    '[2001:db8::1]:5500',
    '[',
    'localhost:5500:x',
  ])('refuses the host %s, on reads too', (host) => {
    expect(check({ host })).toBe('foreign_host');
    expect(check({ host, method: 'GET' })).toBe('foreign_host');
  });

  it('beyond loopback, accepts addresses and names that cannot be registered', () => {
    for (const host of ['198.51.100.7:5500', '[2001:db8::1]:5500', 'roundhouse:5500'])
      expect(check({ host }, '0.0.0.0')).toBe('accepted');
    expect(check({ host: 'evil.example' }, '0.0.0.0')).toBe('foreign_host');
    expect(check({ host: 'llm.example:80' }, '0.0.0.0', true, ['LLM.example'])).toBe('accepted');
  });

  it('accepts writes of programs, of its own pages and of allowed origins', () => {
    expect(check({})).toBe('accepted');
    expect(check({ origin: 'http://localhost:5500', fetchSite: 'same-origin' })).toBe('accepted');
    expect(check({ origin: 'https://localhost:5500' })).toBe('accepted');
    expect(check({ fetchSite: 'none' })).toBe('accepted');
    expect(check({ origin: page, fetchSite: 'cross-site' })).toBe('accepted');
  });

  it.each([
    { origin: 'https://evil.example', fetchSite: 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000', fetchSite: 'same-site' },
    { origin: 'null' },
    { fetchSite: 'cross-site' },
    { origin: 'http://localhost:5500', host: undefined },
  ])('refuses the write of a foreign page: %o', (source) => {
    expect(check(source)).toBe('foreign_origin');
    expect(check({ ...source, method: 'DELETE' })).toBe('foreign_origin');
    expect(check({ ...source, method: 'GET' })).toBe('accepted');
  });

  it('refuses nothing where keys are needed', () => {
    expect(check({ host: 'evil.example', origin: 'https://evil.example' }, '127.0.0.1', false)).toBe(
      'accepted',
    );
  });
});
