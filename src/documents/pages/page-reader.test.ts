import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserRequirement, openBrowser } from '../../../test/testkit/machine/browser.ts';
import { layoutModels } from '../../../test/testkit/models/layout-models.ts';
import { requirement } from '../../../test/testkit/requirement.ts';
import { assemble } from '../assembly/assemble.ts';
import type { Draft } from '../drafts/draft.ts';
import type { Region } from '../element.ts';
import type { PageContent } from '../layout/page-content.ts';
import { image } from '../pictures/sharp.ts';
import type { LayoutModels } from '../vision/models.ts';
import { PageReader } from './page-reader.ts';
import type { ReadOptions } from './read-options.ts';

const tesseract = await requirement('tesseract', () =>
  execFileSync('tesseract', ['--list-langs']).includes('rus'),
);
const models = await requirement('layout models', async () => Boolean(await layoutModels()));
const fixtures = join(import.meta.dirname, '../../../test/fixtures/documents');
const folder = mkdtempSync(join(tmpdir(), 'pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const style = `<style>body{font:11pt "Liberation Serif"}h1{font-size:22pt}h2{font-size:15pt}
.two{column-count:2;column-gap:18pt;text-align:justify}.ruled{border-collapse:collapse}
.ruled td,.ruled th{border:1px solid #333;padding:3pt 6pt}.open td,.open th{padding:3pt 14pt;text-align:left}</style>`;

const report = `<!doctype html><html lang=en><meta charset=utf-8>${style}
<h1>Annual report on rail traffic</h1>
<p>The number of passengers grew by <b>eleven percent</b>, and the <i>freight volume</i> stayed level. See
<a href="https://example.org/data">the data set</a> for details of the lines that were electrified in the north of the country.</p>
<h2>1. Findings</h2>
<ul><li>Punctuality improved on <b>regional</b> lines<ul><li>mostly in the north</li><li>less so in the south</li></ul></li><li>Costs fell</li></ul>
<ol><li>First step</li><li>Second step</li></ol>
<table class=ruled><tr><th>Region</th><th>2024</th><th>2025</th></tr><tr><td>North</td><td>120</td><td>140</td></tr>
<tr><td rowspan=2>South</td><td>80</td><td>85</td></tr><tr><td>70</td><td>75</td></tr><tr><td colspan=2>Total</td><td>300</td></tr></table>
<h2>2. Staff</h2>
<table class=open><tr><th>Name</th><th>Role</th><th>Since</th></tr><tr><td>Anna Petrova</td><td>Head of planning</td><td>2011</td></tr>
<tr><td>Bob Stone</td><td>Engineer</td><td>2019</td></tr><tr><td>Carla Diaz</td><td>Analyst for freight</td><td>2020</td></tr></table>
<h2>3. Выводы</h2>
<div class=two><p>Объём перевозок вырос на одиннадцать процентов по сравнению с предыдущим годом, а грузооборот остался на
прежнем уровне. Ответственность за электрификацию несут подразделения.</p><p>Второй абзац стоит в правой колонке и
рассказывает о планах на следующий год, в том числе о новых поездах и станциях, которые откроются летом в городе.</p></div>
<pre>function add(a, b) {\n  return a + b;\n}</pre></html>`;

/** Kind, depth and text of each element. */
const outline = (elements: Draft[]) =>
  elements.map(
    ({ kind, depth, text }) => `${kind}${depth === undefined ? '' : ` ${depth}`}: ${text.slice(0, 40)}`,
  );

const kindOf = (line: string) => line.slice(0, line.indexOf(':'));
const countSame = (lines: readonly string[], others: readonly string[]) =>
  lines.filter((line, at) => line === others[at]).length;

const structure = [
  'Title 0: Annual report on rail traffic',
  'NarrativeText: The number of passengers grew by eleven ',
  'Title 1: 1. Findings',
  'ListItem 0: Punctuality improved on regional lines',
  'ListItem 1: mostly in the north',
  'ListItem 1: less so in the south',
  'ListItem 0: Costs fell',
  'ListItem 0: 1. First step',
  'ListItem 0: 2. Second step',
  'Table: Region 2024 2025\nNorth 120 140\nSouth 80 ',
  'Title 1: 2. Staff',
  'Table: Name Role Since\nAnna Petrova Head of pla',
  'Title 1: 3. Выводы',
  'NarrativeText: Объём перевозок вырос на одиннадцать про',
  'NarrativeText: Второй абзац стоит в правой колонке и ра',
];
const ruledTable =
  '<table><tr><th>Region</th><th>2024</th><th>2025</th></tr>' +
  '<tr><td>North</td><td>120</td><td>140</td></tr><tr><td rowspan="2">South</td><td>80</td><td>85</td></tr>' +
  '<tr><td>70</td><td>75</td></tr><tr><td colspan="2">Total</td><td>300</td></tr></table>';
const cellText = /(?<=>)[^<]+/g;

async function pagesOf(reader: PageReader, path: string, options: ReadOptions): Promise<PageContent[]> {
  const read = path.endsWith('.pdf') ? reader.readPdf(path, options) : reader.readImage(path, options);
  const pages: PageContent[] = [];
  for await (const page of read) pages.push(page);
  return pages;
}

const save = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

describe.skipIf(!browserRequirement.available)('reading pages', () => {
  let browser: Browser;
  let reader: PageReader;
  let paths: LayoutModels | undefined;
  let reportPath: string;

  async function print(name: string, html: string, options = {}): Promise<string> {
    const page = await browser.newPage();
    await page.setContent(html);
    const bytes = await page.pdf({ format: 'A4', ...options });
    await page.close();
    return save(name, bytes);
  }

  beforeAll(async () => {
    browser = await openBrowser();
    paths = models.available ? await layoutModels() : undefined;
    reader = new PageReader({ models: paths });
    reportPath = await print('report.pdf', report);
  });
  afterAll(async () => {
    await reader.close();
    await browser.close();
  });

  test('fast: structure, tables, links and emphasis', async () => {
    const elements = assemble(await pagesOf(reader, reportPath, { strategy: 'fast' }));
    expect(outline(elements)).toEqual([
      ...structure,
      'CodeSnippet: function add(a, b) {\n  return a + b;\n}',
    ]);
    expect(elements[1]).toMatchObject({
      page: 1,
      links: [{ text: 'the data set', url: 'https://example.org/data' }],
      emphasis: [
        { text: 'eleven percent', tag: 'b' },
        { text: 'freight volume', tag: 'i' },
      ],
    });
    expect(elements[9]?.html).toBe(ruledTable);
    expect(elements[1]?.regions?.[0]).toMatchObject({ page: 1, pageWidth: expect.closeTo(595.5, 0) });
  });

  test('what continues on the next page is joined, and running lines are told apart', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, row) => `<tr><td>Item ${row}</td><td>${row * 3}</td></tr>`,
    ).join('');
    const sentence =
      'The survey covers every station of the network and compares the counts with those of earlier years, ';
    const html = `${style}<h1>Survey</h1><p>${sentence.repeat(45)}as agreed.</p>
      <table class=ruled><thead><tr><th>Name</th><th>Count</th></tr></thead>${rows}</table>`;
    const path = await print('long.pdf', html, {
      displayHeaderFooter: true,
      headerTemplate: '<div style="font-size:9px;margin-left:60px">Railways of the north</div>',
      footerTemplate: '<div style="font-size:9px;margin:auto">Page <span class=pageNumber></span></div>',
      margin: { top: '70px', bottom: '70px' },
    });
    const pages = await pagesOf(reader, path, { strategy: 'fast' });
    expect(pages.length).toBeGreaterThan(1);
    const elements = assemble(pages);
    const of = (kind: string) => elements.filter((element) => element.kind === kind);
    expect(of('Header').map((element) => element.text)).toEqual(pages.map(() => 'Railways of the north'));
    expect(of('PageNumber').map((element) => element.text)).toEqual(
      pages.map((page) => `Page ${page.number}`),
    );
    expect(of('NarrativeText').map((element) => element.text)).toEqual([`${sentence.repeat(45)}as agreed.`]);
    expect(of('Table')).toHaveLength(1);
    expect(of('Table')[0]?.table).toMatchObject({ rows: 41, columns: 2, headerRows: 1 });
    expect(of('Table')[0]?.regions?.length).toBeGreaterThan(1);
  });

  test('a range of pages', async () => {
    const pages = await pagesOf(reader, join(folder, 'long.pdf'), {
      strategy: 'fast',
      pages: { from: 2, to: 2 },
    });
    expect(pages.map((page) => page.number)).toEqual([2]);
  });

  test('hi_res without models says so', async () => {
    const [page] = await pagesOf(new PageReader(), reportPath, { strategy: 'hi_res' });
    expect(page).toMatchObject({ source: 'text', shortfall: 'no models' });
  });

  describe.skipIf(!models.available || !tesseract.available)('with models and Tesseract', () => {
    test('hi_res sees the same structure', async () => {
      const pages = await pagesOf(reader, reportPath, { strategy: 'hi_res' });
      expect(pages[0]?.source).toBe('vision');
      expect(outline(assemble(pages)).slice(0, structure.length)).toEqual(structure);
    });

    test('a turned, skewed and noisy scan', async () => {
      const page = await browser.newPage({ viewport: { width: 794, height: 1123 }, deviceScaleFactor: 2 });
      await page.setContent(report);
      const flat = image(await page.screenshot())
        .greyscale()
        .rotate(1.2, { background: '#fff' });
      await page.close();
      const path = join(folder, 'scan.jpg');
      await image(await flat.png().toBuffer())
        .rotate(90)
        .blur(0.8)
        .jpeg({ quality: 40 })
        .withMetadata({ density: 192 })
        .toFile(path);
      const pages = await pagesOf(reader, path, { strategy: 'auto' });
      expect(pages[0]?.source).toBe('ocr');
      const elements = assemble(pages);
      // The fonts and the processor of a machine decide about single letters.
      const seenAs = outline(elements).slice(0, structure.length);
      expect(seenAs.map(kindOf)).toEqual(structure.map(kindOf));
      expect(countSame(seenAs, structure)).toBeGreaterThanOrEqual(structure.length - 1);
      const html = elements[9]?.html ?? '';
      expect(html.replaceAll(cellText, '')).toBe(ruledTable.replaceAll(cellText, ''));
      expect(countSame(html.match(cellText) ?? [], ruledTable.match(cellText) ?? [])).toBeGreaterThanOrEqual(
        10,
      );

      // Pictures of the page and of its parts are turned as it was read.
      const region = elements[9]?.regions?.[0] as Region;
      expect(region.turned).toBeCloseTo(360 - 90 - 1.2, 0);
      const drawn = await reader.drawPage(path, 'image', { number: 1, turned: region.turned });
      const { width = 0, height = 1 } = await image(drawn).metadata();
      expect(width / height).toBeCloseTo(region.pageWidth / region.pageHeight, 2);
      const { pageWidth, turned, box } = region;
      const cut = reader.cutPage(path, 'image', { number: 1, turned, width: pageWidth, boxes: [box] });
      const pictures: Uint8Array[] = [];
      for await (const picture of cut) pictures.push(picture);
      const table = save('table.jpg', pictures[0] as Uint8Array);
      const [seen] = assemble(await pagesOf(reader, table, { strategy: 'ocr_only' }));
      expect(seen?.text).toContain('Region 2024 2025');
    });

    test('text without a meaning is read by OCR', async () => {
      const broken = Buffer.from(
        readFileSync(reportPath).toString('latin1').replaceAll('/ToUnicode', '/NoUnicode'),
        'latin1',
      );
      const pages = await pagesOf(reader, save('garbled.pdf', broken), { strategy: 'auto' });
      expect(pages[0]?.source).toBe('ocr');
      expect(assemble(pages)[0]?.text).toBe('Annual report on rail traffic');
    });
  });

  test('a machine without Tesseract', async () => {
    const without = new PageReader({ tesseract: '/nonexistent/tesseract' });
    await expect(pagesOf(without, reportPath, { strategy: 'ocr_only' })).rejects.toMatchObject({
      reason: 'no OCR',
      message: expect.stringContaining('Install'),
    });
  });
});

describe('files that cannot be read', () => {
  const reader = new PageReader();
  const fast = { strategy: 'fast' } as const;

  test('a password is needed', async () => {
    await expect(pagesOf(reader, join(fixtures, 'locked.pdf'), fast)).rejects.toMatchObject({
      reason: 'encrypted',
    });
  });

  test('a password only against changes', async () => {
    const [element] = assemble(await pagesOf(reader, join(fixtures, 'owner-password.pdf'), fast));
    expect(element?.text).toBe('This page may be read by everyone.');
  });

  test.each([
    ['empty', ''],
    ['text', 'not a PDF'],
    ['cut', '%PDF-1.7\n1 0 obj\n<< /Type /Catalog'],
  ])('invalid: %s', async (name, content) => {
    await expect(pagesOf(reader, save(`${name}.pdf`, content), fast)).rejects.toMatchObject({
      reason: 'invalid',
    });
    await expect(pagesOf(reader, save(`${name}.png`, content), fast)).rejects.toMatchObject({
      reason: 'invalid',
    });
  });

  test('too many pages', async () => {
    const path = join(fixtures, 'owner-password.pdf');
    await expect(pagesOf(reader, path, { ...fast, maxPages: 0 })).rejects.toMatchObject({
      reason: 'too many pages',
    });
  });

  test('a picture of 30,000 × 30,000 pixels is refused before it is decoded', async () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(30_000, 0);
    header.writeUInt32BE(30_000, 4);
    header.set([8, 0, 0, 0, 0], 8);
    const png = [
      pngChunk('IHDR', header),
      pngChunk('IDAT', deflateSync(Buffer.alloc(10))),
      pngChunk('IEND', Buffer.alloc(0)),
    ];
    const path = save('large.png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...png]));
    await expect(pagesOf(reader, path, fast)).rejects.toMatchObject({ reason: 'too large' });
  });
});

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
