import { afterAll, describe, expect, it } from 'vitest';
import { openTestDocuments } from '../../../test/testkit/documents/open-test-documents.ts';
import { articles } from '../../../test/testkit/documents/wiki-articles.ts';
import { image } from '../pictures/sharp.ts';

const documents = openTestDocuments();
afterAll(() => documents.close());

const { signal } = new AbortController();
const page = (html: string, title = 'Pumps') => ({
  title,
  path: ['Operations', 'Station'],
  html,
  base: 'http://wiki.example/confluence',
});
const write = (html: string, pictures: Parameters<typeof documents.writer.pdf>[1] = [], title?: string) =>
  documents.writer.pdf(page(html, title), pictures, signal);

const read = documents.readPdf;
const shown = async (html: string) =>
  (await read(await write(html))).elements.map(({ kind, text, depth }) =>
    kind === 'Title' || kind === 'ListItem' ? `${kind} ${depth}: ${text}` : `${kind}: ${text}`,
  );

describe.each(articles)('an article in $language', ({ html, title, expected, table, rows }) => {
  it('gives back its headings, lists, tables, code and paragraphs', async () => {
    const pdf = await write(html, [], title);
    expect((await write(html, [], title)).equals(pdf)).toBe(true);
    const { elements, pages } = await read(pdf);
    const found = elements.map(({ kind, text, depth }) => `${kind} ${depth ?? '-'}: ${text}`);
    for (const element of expected) expect(found).toContain(element);
    const tables = elements.filter(({ kind }) => kind === 'Table');
    expect(tables[0]?.html).toBe(table);
    // The long table goes over two pages, and is one table for readers.
    expect(pages).toBeGreaterThan(1);
    expect(tables).toHaveLength(2);
    expect(tables[1]?.html?.match(/<tr>/g)).toHaveLength(rows);
    const links = elements.flatMap(({ links: own = [] }) => own.map(({ url }) => url));
    expect(links).toContain('http://wiki.example/display/OPS/Docs');
  });
});

describe('pages', () => {
  it('have pictures, and words where a picture is broken', async () => {
    const red = { width: 200, height: 100, channels: 3 as const, background: '#c00' };
    const bytes = await image({ create: red }).png().toBuffer();
    const html =
      '<p>Above.</p><img src="/a.png" alt="The red valve"><img src="b.png" alt="The broken valve">' +
      `<img src="data:image/png;base64,${bytes.toString('base64')}"><img src="javascript:x" alt="no address">`;
    expect(await documents.writer.picturesOf(page(html), signal)).toEqual([
      'http://wiki.example/a.png',
      'http://wiki.example/confluence/b.png',
    ]);
    const sent = [
      { url: 'http://wiki.example/a.png', bytes },
      { url: 'http://wiki.example/confluence/b.png', bytes: Buffer.from('no picture') },
    ];
    const pdf = await write(html, sent);
    expect(pdf.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(2);
    const text = (await read(pdf)).elements.map((element) => element.text).join('\n');
    for (const words of ['The red valve', 'The broken valve', 'no address']) expect(text).toContain(words);
  });

  it('keep text that no font can show', async () => {
    const long = Array.from({ length: 400 }, (_, at) => String.fromCodePoint(0x4e00 + 7 * at)).join('');
    expect((await shown(`<p>${long}</p><p>${'xq'.repeat(900)}</p>`)).join('').replace(/\s/g, '')).toContain(
      long,
    );
    const text = '中文 日本語 한국어 😀 и снова русский ☑ → ≥';
    expect((await shown(`<p>${text}</p>`)).join('\n').replaceAll(' ', '')).toContain(
      text.replaceAll(' ', ''),
    );
  });

  it('have boxes, tasks and quotes', async () => {
    const found = await shown(
      '<div class="confluence-information-macro confluence-information-macro-note"><p class="title">Mind the gap</p>' +
        '<div class="confluence-information-macro-body"><p>The pump must not run without water in it.</p></div></div>' +
        '<ul class="inline-task-list"><li class="checked">Oil was checked</li><li>Seal must be replaced</li></ul>' +
        '<blockquote><p>Safety comes before everything else here.</p></blockquote>',
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'NarrativeText: The pump must not run without water in it.',
        'ListItem 0: ☑ Oil was checked',
        'ListItem 0: ☐ Seal must be replaced',
        'NarrativeText: Safety comes before everything else here.',
      ]),
    );
  });
});

describe('hostile pages', () => {
  const cells = (count: number, cell = '<td>x</td>') => `<tr>${cell.repeat(count)}</tr>`;
  it.each([
    ['nesting', '<div><ul><li><b>'.repeat(20_000)],
    ['open tables', '<table><tr><td>a</td><td>'.repeat(200)],
    [
      'wide cells',
      '<table><tr><td colspan="1e9">a</td></tr><tr><td>b</td><td rowspan="1e9">c</td></tr></table>',
    ],
    ['a row that no page holds', `<table>${cells(2, `<td>${'word '.repeat(3_000)}</td>`)}</table>`],
    ['controls', 'a\u0000b<p>\u0007&#0;\ud800&#xd800;&#x110000;</p>'],
    ['names of objects', '<constructor __proto__="1" class="toString">x</constructor>'],
    ['addresses', '<a href=")(\\">a</a><a href="http://[">b</a><a href="javascript:x()">c</a>'],
    ['empty rows', `<table>${'<tr></tr>'.repeat(2_000)}</table>`],
    ['breaks', '<br>'.repeat(20_000)],
    ['nothing', ''],
  ])('with %s are rendered', async (_, html) => {
    const { pages } = await read(await write(html));
    expect(pages).toBeGreaterThan(0);
  });

  it.each([
    ['elements', '<i></i>'.repeat(250_000), /more than 200,000 elements/],
    ['cells', `<table>${cells(1_000).repeat(150)}</table>`, /more than 200,000 elements/],
    ['columns', `<table>${cells(80)}</table>`, /more than 50 columns/],
    ['pages', '<p>line</p>'.repeat(40_000), /more than 500 pages/],
    ['letters from right to left', '<p>שלום</p>', /from right to left/],
    ['text', 'word '.repeat(500_000), /more than 2,000,000 characters/],
  ])('with too many %s are refused, and the next one is rendered', async (_, html, message) => {
    await expect(write(html)).rejects.toThrow(message);
    expect((await write('<p>Fine.</p>')).subarray(0, 5).toString()).toBe('%PDF-');
  });
});
