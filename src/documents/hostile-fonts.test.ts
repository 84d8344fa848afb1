import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pdfWithFont } from '../../test/testkit/documents/pdf-file.ts';
import { openDocuments } from './read-document.ts';
import { documentSettings } from './settings.ts';
import { Unreadable } from './unreadable.ts';

const documents = openDocuments(documentSettings.documents.parse({ workers: 1 }));
const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
afterAll(async () => {
  await documents.close();
  rmSync(folder, { recursive: true });
});

async function read(content: Buffer | string, name: string): Promise<string> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const texts: string[] = [];
  for await (const { text } of documents.read({ path, name }, { strategy: 'fast', pictures: ['Table'] }))
    texts.push(text);
  return texts.join('\n');
}

/** A font of which only the embedded program matters. */
const embedded = (key: string, subtype: string, program: Buffer, more = '') =>
  pdfWithFont([
    `<< /Type /Font /Subtype /${subtype} /BaseFont /AAAAAA+Broken /FirstChar 32 /LastChar 126
     /Widths [${'500 '.repeat(95)}] /FontDescriptor 6 0 R >>`,
    `<< /Type /FontDescriptor /FontName /AAAAAA+Broken /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0
     /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /${key} 7 0 R >>`,
    [more, program],
  ]);

/** The tables of a TrueType font, all of them of random bytes and with offsets beyond the file. */
function brokenTrueType(): Buffer {
  const names = ['cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'prep', 'fpgm', 'cvt '];
  const head = Buffer.alloc(12 + 16 * names.length);
  head.writeUInt32BE(0x00010000, 0);
  head.writeUInt16BE(names.length, 4);
  names.forEach((name, index) => {
    const at = 12 + 16 * index;
    head.write(name, at, 'latin1');
    head.writeUInt32BE(index % 2 ? 0xfffffff0 : head.length, at + 8);
    head.writeUInt32BE(0x7fffffff, at + 12);
  });
  return Buffer.concat([head, randomBytes(4_000)]);
}

/** Subroutines of a Type 1 font that call each other without an end. */
const type1 = Buffer.from(
  `%!PS-AdobeFont-1.0: Broken\n/FontMatrix [0 0 0 0 0 0] readonly def /FontBBox {-99999999 0 99999999 0} def
/Encoding StandardEncoding def currentfile eexec\n${randomBytes(500).toString('hex')}`,
);
/** Index structures of a CFF font that claim four billion entries. */
const cff = Buffer.concat([Buffer.from([1, 0, 4, 4, 0xff, 0xff, 4]), randomBytes(3_000)]);

/** A glyph that is drawn with the font that it belongs to. */
const recursive = pdfWithFont([
  `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 84 /LastChar 84
   /Widths [500] /Encoding << /Type /Encoding /Differences [84 /T] >> /CharProcs << /T 6 0 R >>
   /Resources << /Font << /F 5 0 R >> /XObject << /X 7 0 R >> >> >>`,
  ['', '500 0 d0 BT /F 20 Tf (T) Tj ET /X Do'],
  [
    '/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /XObject << /X 7 0 R >> >>',
    '/X Do /X Do',
  ],
]);

/** Names for characters, each of which stands for many others. */
const unicode = pdfWithFont([
  `<< /Type /Font /Subtype /Type0 /BaseFont /F /Encoding 7 0 R /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>`,
  '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /F /CIDSystemInfo << /Registry (A) /Ordering (I) /Supplement 0 >> /DW 1000 >>',
  [
    '/Type /CMap /CMapName /F /UseCMap 7 0 R',
    'begincmap 1 beginbfrange <0000> <FFFFFFFF> <0041> endbfrange 1 begincidrange <00> <FFFFFFFF> 0 endcidrange endcmap',
  ],
]);

it.each([
  ['TrueType tables beyond the file', embedded('FontFile2', 'TrueType', brokenTrueType())],
  [
    'a broken Type 1 program',
    embedded('FontFile', 'Type1', type1, '/Length1 200 /Length2 99999999 /Length3 -1'),
  ],
  ['a CFF index without an end', embedded('FontFile3', 'Type1', cff, '/Subtype /Type1C')],
  ['a glyph within itself', recursive],
  ['a map of all characters', unicode],
])('%s: the page is read, or refused, and the next file is read', async (_, file) => {
  const outcome = await read(file, 'font.pdf').catch((error) => error);
  if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Unreadable);
  expect(await read('The next file is read.', 'next.txt')).toBe('The next file is read.');
});
