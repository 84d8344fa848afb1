import { expect, it } from 'vitest';
import { documentName, freeName, nameOfLink } from './document-name.ts';

it.each([
  ['a.txt', 'a.txt'],
  ['/home/анна/Договор № 5.docx', 'Договор № 5.docx'],
  ['C:\\Users\\me\\отчёт.pdf', 'отчёт.pdf'],
  ['a%20b.pdf', 'a b.pdf'],
  ['%D0%9F%D0%BB%D0%B0%D0%BD.md', 'План.md'],
  ['x%2F..%2F..%2Fetc%2Fpasswd', 'passwd'],
  ['growth 50%.pdf', 'growth 50%.pdf'],
  ['he said "no" 🙂.txt', 'he said "no" 🙂.txt'],
  ['%22quoted%22.txt', '"quoted".txt'],
  ['constructor', 'constructor'],
  ['a\u0000b\n.txt', 'a b .txt'],
  ['cafe\u0301.txt', 'café.txt'],
  ['half \uD83D.txt', 'half \uFFFD.txt'],
  ['..', ''],
  ['%2e%2e', ''],
  ['folder/', ''],
  ['   ', ''],
  ['.hidden', '.hidden'],
])('the name of %j is %j', (path, name) => {
  expect(documentName(path)).toBe(name);
});

it.each([
  ['https://example.org/files/%D0%9F%D0%BB%D0%B0%D0%BD%202.pdf?download=1#page=3', 'План 2.pdf'],
  ['https://example.org/docs/guide/', 'guide'],
  ['https://example.org', 'example.org'],
])('the name of the link %s is %j', (url, name) => {
  expect(nameOfLink(url)).toBe(name);
});

it('long names are cut, and keep their extension', () => {
  const name = documentName(`${'ё'.repeat(400)}.docx`);
  expect(name).toBe(`${'ё'.repeat(125)}.docx`);
  expect(Buffer.byteLength(documentName(`${'🙂'.repeat(90)}`))).toBe(252);
});

it('a taken name is numbered before its extension', () => {
  const taken = new Set(['a.txt', 'a (2).txt', 'plan', 'archive.tar.gz']);
  const free = (name: string) => freeName(name, (other) => taken.has(other));
  expect([free('a.txt'), free('plan'), free('archive.tar.gz')]).toEqual([
    'a (3).txt',
    'plan (2)',
    'archive.tar (2).gz',
  ]);
  expect(Buffer.byteLength(free(`${'ё'.repeat(125)}.docx`))).toBeLessThanOrEqual(255);
});
