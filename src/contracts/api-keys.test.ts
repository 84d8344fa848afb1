import { describe, expect, it } from 'vitest';
import { ApiKey, ApiKeyCreated, ApiKeyRequest } from './api-keys.ts';

describe('ApiKeyRequest', () => {
  const request = { name: 'Ключ отдела кадров', scopes: ['inference', 'index:read'] };

  it('needs a name and scopes', () => {
    expect(ApiKeyRequest.parse(request)).toEqual({ ...request, limits: {} });
    expect(ApiKeyRequest.safeParse({}).error?.issues.map((issue) => issue.path[0])).toEqual([
      'name',
      'scopes',
    ]);
  });

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['root'] }, 'scopes.0'],
    [{ scopes: ['admin', 'admin'] }, 'scopes'],
    [{ name: '' }, 'name'],
    [{ name: 'line\nbreak' }, 'name'],
    [{ name: 'half \ud83d' }, 'name'],
    [{ name: 'Anonymous' }, 'name'],
    [{ name: 'platform' }, 'name'],
    [{ name: 'platform (starter)' }, 'name'],
    [{ limits: { models: ['x'.repeat(513)] } }, 'limits.models.0'],
    [{ limits: { models: Array.from({ length: 1001 }, () => 'm') } }, 'limits.models'],
    [{ expires_at: '2026-01-01' }, 'expires_at'],
    [{ limits: { requests_per_minute: 0 } }, 'limits.requests_per_minute'],
    [{ limits: { requests_per_hour: 5 } }, 'limits'],
  ])('refuses %j at %s', (changes, path) => {
    const { error } = ApiKeyRequest.safeParse({ ...request, ...changes });
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});

it('the key is shown when it is made and never when it is listed', () => {
  const created = {
    id: 'k1',
    name: 'n',
    prefix: 'rh-a1a1',
    owner: null,
    scopes: ['admin'],
    limits: { models: ['m'], tokens_per_month: null },
    created_at: '2026-01-02T03:04:05Z',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    pending: false,
    key: `rh-${'a1'.repeat(20)}`,
  };
  expect(ApiKeyCreated.parse(created)).toEqual(created);
  expect(ApiKey.parse(created)).not.toHaveProperty('key');
});
