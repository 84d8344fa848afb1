import { expect, it } from 'vitest';
import { readPortalLink } from './portal-link.ts';

const base = 'https://portal.corp.example';

it.each([
  ['/docs/DOC-1234', { base, document: '1234' }],
  ['/docs/DOC-1234-some-title', { base, document: '1234' }],
  ['/docs/DOC-1234/version/2', { base, document: '1234' }],
  ['/jive/docs/DOC-7?et=watches', { base: `${base}/jive`, document: '7' }],
  [
    '/community/support',
    { base, place: 'support', code: undefined, address: 'portal.corp.example/community/support' },
  ],
  [
    '/community/support/faq/content',
    { base, place: 'faq', code: undefined, address: 'portal.corp.example/community/support/faq' },
  ],
  [
    '/community/content',
    { base, place: 'content', code: undefined, address: 'portal.corp.example/community/content' },
  ],
  [
    '/groups/%D0%BF%D1%83%D1%81%D0%BA',
    { base, place: 'пуск', code: undefined, address: 'portal.corp.example/groups/пуск' },
  ],
  [
    '/projects/new-pump/',
    { base, place: 'new-pump', code: undefined, address: 'portal.corp.example/projects/new-pump' },
  ],
  [
    '/community/ops/projects/pump',
    { base, place: 'pump', code: undefined, address: 'portal.corp.example/community/ops/projects/pump' },
  ],
  ['/space/2001', { base, place: '2001', code: 14, address: 'portal.corp.example/space/2001' }],
  ['/groups/1005', { base, place: '1005', code: 700, address: 'portal.corp.example/groups/1005' }],
  [
    '/people/ivanov/blog',
    { base, place: 'ivanov', code: undefined, address: 'portal.corp.example/people/ivanov/blog' },
  ],
])('%s', (path, expected) => expect(readPortalLink(base + path)).toEqual(expected));

it.each(['/', '/welcome', '/people/ivanov', '/docs/', '/docs/DOC-x', '/thread/5'])('refuses %s', (path) =>
  expect(() => readPortalLink(base + path)).toThrow(/no document or space of the portal/),
);
