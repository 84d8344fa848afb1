import { expect, it } from 'vitest';
import { hasPageAnchors } from './page-anchors.ts';

const pdf = 'application/pdf';
it.each([
  [true, 'an upload', null, null, pdf],
  [true, 'a link', 'https://example.org/download?id=5', 'direct_link', pdf],
  [false, 'a link to a web page', 'https://example.org/rules', 'direct_link', 'text/html'],
  [false, 'a wiki page that was exported', 'https://wiki.example.org/display/OPS/Насосы', 'wiki', pdf],
  [true, 'an attachment', 'https://wiki.example.org/download/attachments/1/a.PDF?version=2', 'wiki', pdf],
  [false, 'a document of a portal', 'https://portal.example.org/docs/DOC-5', 'portal', pdf],
  [false, 'a file in a drive', 'https://disk.yandex.ru/d/abc/a.pdf', 'drive_b', pdf],
])('%s: %s', (expected, _what, url, source, type) => {
  const source_json = source === null ? null : JSON.stringify({ type: source, url });
  expect(hasPageAnchors({ url, type, source_json })).toBe(expected);
});
