import { expect, it } from 'vitest';
import { readWikiLink } from './wiki-link.ts';

const base = 'https://wiki.corp.example';

it.each([
  ['/display/DEV/Release+notes', { base, space: 'DEV', title: 'Release notes' }],
  [
    '/display/DEV/%D0%9F%D1%83%D1%81%D0%BA+%D0%BD%D0%B0%D1%81%D0%BE%D1%81%D0%B0',
    { base, space: 'DEV', title: 'Пуск насоса' },
  ],
  ['/display/DEV/C%2B%2B+guide', { base, space: 'DEV', title: 'C++ guide' }],
  ['/display/DEV', { base, space: 'DEV' }],
  ['/display/~ivanov/Home', { base, space: '~ivanov', title: 'Home' }],
  ['/display/DEV/Page?src=sidebar#Page-anchor', { base, space: 'DEV', title: 'Page' }],
  ['/pages/viewpage.action?pageId=123456', { base, page: '123456' }],
  ['/pages/viewpage.action?spaceKey=DEV&title=Release+notes', { base, space: 'DEV', title: 'Release notes' }],
  [
    '/confluence/pages/viewpage.action?pageId=98&focusedCommentId=5',
    { base: `${base}/confluence`, page: '98' },
  ],
  ['/wiki/display/DEV/', { base: `${base}/wiki`, space: 'DEV' }],
  ['/spaces/DEV/pages/123456/Release+notes', { base, page: '123456' }],
  ['/spaces/DEV/overview', { base, space: 'DEV' }],
  ['/spaces/viewspace.action?key=DEV', { base, space: 'DEV' }],
  ['/pages/viewpagesrc.action?pageId=7', { base, page: '7' }],
  ['/x/QeIB', { base, page: '123457' }],
  ['/display/constructor/__proto__', { base, space: 'constructor', title: '__proto__' }],
])('%s', (path, expected) => expect(readWikiLink(base + path)).toEqual(expected));

it.each(['/', '/dashboard.action', '/display/', '/pages/viewpage.action', '/pages/viewpage.action?pageId=x'])(
  'refuses %s',
  (path) => expect(() => readWikiLink(base + path)).toThrow(/leads to no page or space/),
);
