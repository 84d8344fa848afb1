import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { compoundFile } from '../../test/testkit/documents/compound-file.ts';
import { docx, odt } from '../../test/testkit/documents/office-files.ts';
import { pdfFile } from '../../test/testkit/documents/pdf-file.ts';
import { zipBomb } from '../../test/testkit/documents/zip-bomb.ts';
import { zipOf } from '../../test/testkit/machine/zip.ts';
import { openDocuments, type ReadOptions } from './read-document.ts';
import { documentSettings } from './settings.ts';
import { Unreadable } from './unreadable.ts';

const documents = openDocuments(documentSettings.documents.parse({ workers: 1 }));
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-hostile-'));
afterAll(() => documents.close());
// Whatever a file did, the next one is read.
afterEach(async () => {
  expect(await read('next.txt', 'The next file is read.')).toEqual(['The next file is read.']);
});

async function read(name: string, content: Buffer | string, options?: ReadOptions): Promise<string[]> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const texts: string[] = [];
  for await (const { text } of documents.read({ path, name }, options)) texts.push(text);
  return texts;
}

async function refusal(name: string, content: Buffer | string): Promise<string> {
  try {
    await read(name, content);
  } catch (error) {
    if (error instanceof Unreadable) return `${error.reason}: ${error.message}`;
    throw error;
  }
  throw new Error(`${name} was read`);
}

it('refuses empty, truncated and encrypted files with the reason', async () => {
  expect(await refusal('a.docx', '')).toBe('empty: The file is empty.');
  expect(await refusal('a.docx', docx().subarray(0, 900))).toBe(
    'invalid: The file is damaged or incomplete.',
  );
  const encrypted = 'encrypted: File is encrypted. Please decrypt it with password.';
  expect(
    await refusal(
      'a.docx',
      compoundFile({ EncryptedPackage: Buffer.alloc(5_000), EncryptionInfo: Buffer.alloc(9) }),
    ),
  ).toBe(encrypted);
  const word = Buffer.alloc(5_000);
  word[11] = 1;
  expect(await refusal('a.doc', compoundFile({ WordDocument: word }))).toBe(encrypted);
  const locked = docx();
  // The first bit of a member's flags, in its own header and in the directory.
  for (const [sign, offset] of [
    ['PK\x03\x04', 6],
    ['PK\x01\x02', 8],
  ] as const) {
    for (let at = locked.indexOf(sign); at >= 0; at = locked.indexOf(sign, at + 4)) locked[at + offset] = 1;
  }
  expect(await refusal('a.docx', locked)).toBe(encrypted);
  const manifest = '<manifest><manifest:encryption-data/></manifest>';
  const secret = zipOf({
    mimetype: Buffer.from('application/vnd.oasis.opendocument.text'),
    'META-INF/manifest.xml': Buffer.from(manifest),
    'content.xml': Buffer.from('x'),
  });
  expect(await refusal('a.odt', secret)).toBe(encrypted);
});

it('reads a file for what it is, whatever its name', async () => {
  expect((await read('picture.png', docx()))[1]).toBe('Отчёт');
  expect(await read('__proto__.docx', 'It is only text in a file.')).toEqual(['It is only text in a file.']);
  expect((await read('../../etc/passwd\0.odt 😀', odt()))[1]).toBe('Раздел');
});

it('refuses what it can’t read, by its type', async () => {
  const inner = zipOf({ 'b.zip': zipOf({ 'c.txt': Buffer.from('x') }) });
  expect(await refusal('a.docx', zipOf({ 'a.zip': inner }))).toBe(
    'unsupported: File type application/zip is not supported.',
  );
  expect(await refusal('a.txt', Buffer.from([0x1f, 0x8b, 8, 0, 0]))).toBe(
    'unsupported: File type gzip is not supported.',
  );
  const octets = 'unsupported: File type application/octet-stream is not supported.';
  expect(await refusal('a.pdf', Buffer.from([1, 2, 3, 4]))).toBe(
    `${octets} By its name it should be PDF; it may be damaged.`,
  );
  expect(await refusal('a.bin', Buffer.from([1, 2, 3, 4]))).toBe(octets);
  expect(
    await refusal('a.txt', Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 7919) % 256))),
  ).toContain('unsupported');
});

it('refuses zip bombs, honest or not', async () => {
  expect(await refusal('a.docx', zipBomb('word/document.xml', 1_600))).toBe(
    'too large: The file unpacks to more than 256 MiB.',
  );
  expect(await refusal('a.docx', zipBomb('word/document.xml', 1_600, 1_000))).toContain('invalid');
});

it('reads markup that is nested without end', async () => {
  const deep = 300_000;
  const html = `<html><body>${'<div>'.repeat(deep)}deep text${'</div>'.repeat(deep)}<p>After it comes more.</p>`;
  expect(await read('a.html', html)).toEqual(['deep text', 'After it comes more.']);
  expect(await read('a.html', `<html>${'<b>'.repeat(deep)}deep text`)).toEqual(['deep text']);
  expect(await read('a.xml', `<?xml version="1.0"?>${'<a>'.repeat(deep)}deep text`)).toEqual(['deep text']);
  expect(await refusal('a.json', `${'['.repeat(1e6)}${']'.repeat(1e6)}`)).toContain(
    'invalid: The JSON is nested',
  );
  expect(await read('a.rtf', `{\\rtf1 ${'{'.repeat(deep)}deep text`)).toEqual(['deep text']);
});

it('does not expand entities of XML', async () => {
  const entities = Array.from(
    { length: 20 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  ).join('');
  const bomb = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY l0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">${entities}]><l>a &l20; &f;</l>`;
  expect(await read('a.xml', bomb)).toEqual(['a &l20; &f;']);
});

it('bounds long lines, wide tables and large files', async () => {
  const line = await read('a.txt', 'a'.repeat(3_000_000));
  expect(line.length).toBeGreaterThan(2);
  expect(line.join('').length).toBe(3_000_000);
  expect(await refusal('a.csv', `${'a,'.repeat(1e6)}b\n${'1,'.repeat(1e6)}2\n`)).toContain(
    'too large: The table has more than 16384 columns',
  );
  const path = join(folder, 'large');
  writeFileSync(path, '');
  truncateSync(path, 1e9);
  await expect(documents.read({ path, name: 'a.txt' })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    reason: 'too large',
  });
});

it('refuses loops and too many pages, and runs nothing that a PDF contains', async () => {
  const page = (catalog: string, kids = '[3 0 R]', box = '[0 0 300 200]') =>
    pdfFile([
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      `<< /Type /Pages /Kids ${kids} /Count 1 >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
      ['', 'BT /F 20 Tf 20 100 Td (Text of the page) Tj ET'],
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Action /S /JavaScript /JS (while \\(true\\) {}) >>',
      '<< /Type /Action /S /Launch /F (/bin/sh) >>',
    ]);
  for (const action of ['/OpenAction 6 0 R', '/OpenAction 7 0 R', '/Outlines 2 0 R'])
    expect(await read('a.pdf', page(action))).toEqual(['Text of the page']);
  for (const box of ['[0 0 1e9 1e9]', '[300 200 -10 -10]', '[0 0 0 0]', '[0 0 /a null]'])
    expect(await read('a.pdf', page('', '[3 0 R]', box))).toEqual(['Text of the page']);
  expect(await refusal('a.pdf', page('', '[2 0 R]'))).toContain('invalid: Page 1');
  expect(await refusal('a.tiff', tiffOf(10_000))).toBe(
    'too many pages: The file has 10000 pages; at most 3000 can be read at once.',
  );
  const parts = Array.from(
    { length: 10_000 },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
  );
  expect(await refusal('a.eml', `From: a@example.com\r\nMIME-Version: 1.0\r\n${parts.join('')}`)).toBe(
    'invalid: The message is damaged.',
  );
});

it('says that pictures in BMP are not read', async () => {
  const bitmap = Buffer.alloc(60);
  bitmap.write('BM');
  expect(await refusal('a.bmp', bitmap)).toBe('unsupported: File type image/bmp is not supported.');
});

/** Grey pages of one pixel each. */
function tiffOf(pages: number): Buffer {
  const size = 2 + 8 * 12 + 4;
  const bytes = Buffer.alloc(8 + pages * size + 1);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(8, 4);
  const tags = [
    [256, 1],
    [257, 1],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, bytes.length - 1],
    [278, 1],
    [279, 1],
  ] as const;
  for (let page = 0; page < pages; page += 1) {
    const start = 8 + page * size;
    bytes.writeUInt16LE(tags.length, start);
    tags.forEach(([tag, value], index) => {
      const at = start + 2 + index * 12;
      bytes.writeUInt16LE(tag, at);
      bytes.writeUInt16LE(4, at + 2);
      bytes.writeUInt32LE(1, at + 4);
      bytes.writeUInt32LE(value, at + 8);
    });
    bytes.writeUInt32LE(page === pages - 1 ? 0 : start + size, start + size - 4);
  }
  return bytes;
}

it('ends a worker that needs too much memory, and says so', async () => {
  const small = openDocuments(documentSettings.documents.parse({ workers: 1, worker_memory: '256MiB' }));
  const path = join(folder, 'arrays.json');
  // Arrays take far more memory than their text.
  writeFileSync(path, `[${'[1,[2]],'.repeat(5_000_000)}1]`);
  const reading = small.read({ path, name: 'a.json' })[Symbol.asyncIterator]();
  await expect(reading.next()).rejects.toMatchObject({ reason: 'too large' });
  await small.close();
});
