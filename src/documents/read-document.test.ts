import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compoundFile } from '../../test/testkit/documents/compound-file.ts';
import { docx, epub, odp, ods, odt, pptx, xlsx } from '../../test/testkit/documents/office-files.ts';
import type { DocumentElement } from './element.ts';
import { openDocuments, type ReadOptions } from './read-document.ts';
import { documentSettings } from './settings.ts';
import type { Unreadable } from './unreadable.ts';

const settings = documentSettings.documents.parse({ workers: 2 });
const documents = openDocuments(settings);
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-documents-'));
afterAll(async () => {
  await documents.close();
  rmSync(folder, { recursive: true });
});
let files = 0;

function fileOf(name: string, content: Buffer | string) {
  const path = join(folder, `file-${++files}`);
  writeFileSync(path, content);
  return { path, name };
}

async function read(name: string, content: Buffer | string, options?: ReadOptions) {
  const reading = documents.read(fileOf(name, content), options);
  const elements: DocumentElement[] = [];
  for await (const element of reading) elements.push(element);
  return { elements, summary: await reading.summary };
}

/** `kind depth@page text`, one line per element. */
const outline = ({ elements }: { elements: DocumentElement[] }) =>
  elements.map(
    ({ kind, depth, page, text }) =>
      `${kind}${depth === undefined ? '' : ` ${depth}`}${page ? `@${page}` : ''} ${text}`,
  );

describe('reading documents', () => {
  it('DOCX: headings, lists, merged cells, pages, formulas, notes, margins', async () => {
    const result = await read('Отчёт 📄/2025.docx', docx());
    expect(outline(result)).toEqual([
      'Header ООО «Ромашка»',
      'Title 0@1 Отчёт',
      'NarrativeText@1 Продажи выросли на 5 %. Подробнее',
      'ListItem 0@1 первый',
      'ListItem 1@1 вложенный',
      'Table@1 Город Сумма\n2024 2025\nПсков 1 < 2 3',
      'Title 1@2 Методика',
      'Formula@2 \\frac{a}{b}',
      'CodeSnippet@2 let a = 1;',
      'NarrativeText@2 Deleted: shown in the text.',
      'Image@2 График продаж',
      'NarrativeText A note.',
      'PageNumber Стр. 1',
    ]);
    const [, title, text, item, nested, table] = result.elements;
    expect(text).toMatchObject({
      parent: title?.index,
      emphasis: [{ text: 'выросли', tag: 'b' }],
      links: [{ text: 'Подробнее', url: 'https://example.com/a', start: 24 }],
      languages: ['rus'],
    });
    expect(nested?.parent).toBe(item?.index);
    expect(table?.html).toBe(
      '<table><tr><th rowspan="2">Город</th><th colspan="2">Сумма</th></tr><tr><td>2024</td><td>2025</td></tr><tr><td>Псков</td><td>1 &lt; 2</td><td>3</td></tr></table>',
    );
    expect(table?.table).toMatchObject({ rows: 3, columns: 3, headerRows: 1 });
    expect(result.summary).toEqual({
      type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      pages: 2,
      reports: [],
    });
  });

  it('PPTX: slides in order, shapes from top to bottom, with their places', async () => {
    const result = await read('slides', pptx());
    expect(outline(result)).toEqual([
      'NarrativeText@1 The first box has a sentence.',
      'NarrativeText@1 The second box is read after the first.',
      'Table@1 Head\n1 2',
      'Title 0@2 План',
      'ListItem 0@2 Пункт',
      'ListItem 1@2 Подпункт',
      'PageNumber@2 2',
    ]);
    expect(result.elements[0]?.regions).toEqual([
      { page: 1, box: { left: 50, top: 100, right: 150, bottom: 110 }, pageWidth: 720, pageHeight: 540 },
    ]);
    expect(result.elements[2]?.html).toContain('<th colspan="2">Head</th>');
    expect(result.elements[4]?.pageName).toBe('План');
  });

  it('XLSX, ODS: tables per sheet, with dates, shares and merged cells', async () => {
    const sheet = await read('book.xlsx', xlsx());
    expect(outline(sheet)).toEqual([
      'Title@1 Отчёт за год',
      'Table@1 Месяц Сумма Доля\n2025-02-01 0.3 50%\nВсего',
    ]);
    expect(sheet.elements[1]).toMatchObject({ pageName: 'Лист 1', table: { headerRows: 1, columns: 3 } });
    expect(sheet.elements[1]?.html).toContain('<tr><td colspan="2">Всего</td><td></td></tr>');
    expect(outline(await read('book.ods', ods()))).toEqual(['Table@1 Имя Возраст\nАнна 30']);
  });

  it('ODT, ODP, EPUB', async () => {
    const text = await read('text.odt', odt());
    expect(outline(text)).toEqual([
      'Header Колонтитул',
      'Title 1@1 Раздел',
      'NarrativeText@1 Текст с жирным словом.',
      'ListItem 0@2 один',
      'ListItem 1@2 два',
      'Table@2 Шапка\nx x',
    ]);
    expect(text.elements[5]?.html).toBe(
      '<table><tr><th colspan="2">Шапка</th></tr><tr><td>x</td><td>x</td></tr></table>',
    );
    expect(outline(await read('slides.odp', odp()))).toEqual(['Title 0@1 Слайд', 'ListItem 0@1 пункт']);
    expect(outline(await read('book.epub', epub()))).toEqual([
      'Title 0 Глава 1',
      'NarrativeText Начало истории.',
      'Title 0 Глава 2',
      'NarrativeText Конец истории.',
    ]);
  });

  it('RTF: code pages of fonts, Unicode with substitutes, lists, tables, pages', async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Times;}}{\stylesheet{\s1 heading 1;}}
{\header \f1 \'d8\'e0\'ef\'ea\'e0\par}\pard\s1\f1 \'c7\'e0\'e3\'ee\'eb\'ee\'e2\'ee\'ea\par
\pard\plain {\f1\'cf\'f0\'e8\'e2\'e5\'f2}, caf\'e9 {\b \u1084?\u1080?\u1088?}! {\field{\*\fldinst HYPERLINK "http://x.example"}{\fldrslt link}}\par
{\pard\ls1\ilvl1{\listtext\'b7\tab}item\par}{\*\unknown hidden}
\trowd\trhdr\cellx1000\cellx2000\pard\intbl A\cell B\cell\row\trowd\clmgf\cellx1000\clmrg\cellx2000\intbl wide\cell\cell\row\pard\page \u-10179?\u-8704? After.\par}`;
    const result = await read('письмо.doc', Buffer.from(rtf, 'latin1'));
    expect(outline(result)).toEqual([
      'Header Шапка',
      'Title 0@1 Заголовок',
      'NarrativeText@1 Привет, café мир! link',
      'ListItem 1@1 item',
      'Table@1 A B\nwide',
      'NarrativeText@2 😀 After.',
    ]);
    expect(result.elements[2]).toMatchObject({
      emphasis: [{ text: 'мир', tag: 'b' }],
      links: [{ url: 'http://x.example', start: 18 }],
    });
    expect(result.elements[4]?.html).toContain('<td colspan="2">wide</td>');
  });

  it('HTML: what authors leave out, tables with spans, links, images, code', async () => {
    const html =
      '<!doctype html><meta charset="windows-1251"><title>x</title><script>var a = "<p>no</p>";</script><h2>Заголовок</h2><p>Один <b>два</b>&nbsp;три &amp; <a href="/x">ссылка</a>.<p>Второй абзац текста.<ul><li>a<ul><li>b</ul><li>c</ul><table><caption>Подпись</caption><tr><th rowspan=2>A<th>B<tr><td>1</table><img alt="Кот" src="c.png"><pre>if (a &lt; b)\n  run();</pre><table><tr><td><p>Framed text is text.</table>';
    const result = await read('страница', Buffer.from(await cp1251(html)));
    expect(outline(result)).toEqual([
      'Title 1 Заголовок',
      'NarrativeText Один два три & ссылка.',
      'NarrativeText Второй абзац текста.',
      'ListItem 0 a',
      'ListItem 1 b',
      'ListItem 0 c',
      'FigureCaption Подпись',
      'Table A B\n1',
      'Image Кот',
      'CodeSnippet if (a < b)\n  run();',
      'NarrativeText Framed text is text.',
    ]);
    expect(result.elements[7]?.html).toBe(
      '<table><tr><th rowspan="2">A</th><th>B</th></tr><tr><td>1</td></tr></table>',
    );
    expect(result.summary.type).toBe('text/html');
  });

  it('Markdown and reStructuredText', async () => {
    const markdown =
      '---\na: b\n---\n# Заголовок\n\nСлова **жирные**.\n\n- [x] done\n  1. nested\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a;\n```\n\n$$\nE = mc^2 < 1\n$$\n';
    expect(outline(await read('readme.md', markdown))).toEqual([
      'Title 0 Заголовок',
      'NarrativeText Слова жирные.',
      'ListItem 0 ☑ done',
      'ListItem 1 nested',
      'Table A B\n1 2',
      'CodeSnippet let a;',
      'Formula E = mc^2 < 1',
    ]);
    const rst =
      '=====\nTitle\n=====\n\nSub\n---\n\nSee `the page <http://a.example>`_ and ``code``.\n\n* one\n\n  * two\n\n.. code-block:: python\n\n   print(1)\n\n.. image:: a.png\n   :alt: A cat\n\n==  ==\nA   B\n==  ==\n1   2\n==  ==\n\n+---+---+\n| wide  |\n+===+===+\n| c | d |\n+---+---+\n';
    const result = await read('doc.rst', rst);
    expect(outline(result)).toEqual([
      'Title 0 Title',
      'Title 1 Sub',
      'NarrativeText See the page and code.',
      'ListItem 0 one',
      'ListItem 1 two',
      'CodeSnippet print(1)',
      'Image A cat',
      'Table A B\n1 2',
      'Table wide\nc d',
    ]);
    expect(result.elements[8]?.html).toBe(
      '<table><tr><th colspan="2">wide</th></tr><tr><td>c</td><td>d</td></tr></table>',
    );
  });

  it('CSV, TSV, JSON, XML, plain text', async () => {
    const csv = await read('a.csv', 'Имя;Возраст\n"Анна; ""Аня""";30\nБорис;\n');
    expect(csv.elements[0]?.html).toBe(
      '<table><tr><th>Имя</th><th>Возраст</th></tr><tr><td>Анна; "Аня"</td><td>30</td></tr><tr><td>Борис</td><td></td></tr></table>',
    );
    expect(outline(await read('noname', 'a\tb\n1\t2\n3\t4\n'))).toEqual(['Table a b\n1 2\n3 4']);
    const json =
      '{"constructor": {"name": "Анна"}, "rows": [{"a": 1, "b": null}, {"a": 2, "__proto__": 3}], "tags": ["x"]}';
    expect(outline(await read('a.json', json))).toEqual([
      'Title 0 constructor',
      'NarrativeText name: Анна',
      'Title 0 rows',
      'Table a b __proto__\n1\n2 3',
      'Title 0 tags',
      'ListItem 0 x',
    ]);
    const xml =
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a><!-- no --><t>Текст &amp; <i>ещё</i></t><![CDATA[<raw>]]></a>';
    expect((await read('a.xml', xml)).elements.map(({ text }) => text)).toEqual(['Текст &', 'ещё', '<raw>']);
    expect((await read('a.xml', '<a><b>x</b></a>', { xmlKeepTags: true })).elements[0]?.text).toBe(
      '<a><b>x</b></a>',
    );
    const text =
      'CHAPTER ONE\n\nIt was a dark night, and\nthe wind was blowing.\n\n- first\n- second\n\nanna@example.com\n';
    expect(outline(await read('a.txt', text))).toEqual([
      'Title 0 CHAPTER ONE',
      'NarrativeText It was a dark night, and the wind was blowing.',
      'ListItem 0 first',
      'ListItem 0 second',
      'EmailAddress anna@example.com',
    ]);
  });

  it('e-mail: headers on each element, attachments named', async () => {
    const eml =
      'From: =?utf-8?B?0JDQvdC90LA=?= <anna@example.com>\r\nTo: bob@example.com\r\nSubject: =?windows-1251?B?z/Do4uXy?=\r\nDate: Mon, 1 Jun 2026 10:00:00 +0300\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Добрый день, коллеги.</p>\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="../a.pdf"\r\n\r\nxx\r\n--b--\r\n';
    const { elements } = await read('message', eml);
    expect(elements).toHaveLength(1);
    expect(elements[0]).toMatchObject({
      text: 'Добрый день, коллеги.',
      mail: {
        from: ['Анна <anna@example.com>'],
        to: ['bob@example.com'],
        subject: 'Привет',
        sentAt: '2026-06-01T07:00:00.000Z',
        attachments: ['../a.pdf'],
      },
    });
  });

  it('Outlook messages', async () => {
    const text = (value: string) => Buffer.from(value, 'utf16le');
    const fixed = (start: number, ...values: [id: number, value: bigint][]) => {
      const bytes = Buffer.alloc(start + values.length * 16);
      values.forEach(([id, value], index) => {
        bytes.writeUInt16LE(id, start + index * 16 + 2);
        bytes.writeBigUInt64LE(value, start + index * 16 + 8);
      });
      return bytes;
    };
    const msg = compoundFile({
      '__properties_version1.0': fixed(32, [0x3ffd, 1251n], [0x0039, 134247384000000000n]),
      '__substg1.0_0037001F': text('Тема'),
      '__substg1.0_0C1A001F': text('Анна'),
      '__substg1.0_5D01001F': text('anna@example.com'),
      '__substg1.0_1000001E': Buffer.from(
        await cp1251(`Добрый день, коллеги! ${'Текст письма. '.repeat(400)}`),
      ),
      '__recip_version1.0_#00000000/__properties_version1.0': fixed(8, [0x0c15, 1n]),
      '__recip_version1.0_#00000000/__substg1.0_3001001F': text('Борис'),
      '__attach_version1.0_#00000000/__substg1.0_3707001F': text('смета.xlsx'),
    });
    const { elements, summary } = await read('mail', msg);
    expect(elements[0]?.text).toMatch(/^Добрый день, коллеги! Текст письма\. /);
    expect(elements[0]?.mail).toMatchObject({
      from: ['Анна <anna@example.com>'],
      to: ['Борис'],
      subject: 'Тема',
      attachments: ['смета.xlsx'],
    });
    expect(summary.type).toBe('application/vnd.ms-outlook');
  });

  it('puts breaks between pages, and takes the caller’s languages and encoding', async () => {
    const { elements } = await read('slides', pptx(), { pageBreaks: true, languages: ['kaz'] });
    expect(elements.filter(({ kind }) => kind === 'PageBreak')).toHaveLength(1);
    expect(elements[0]?.languages).toEqual(['kaz']);
    const text = await read('a.txt', Buffer.from([0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]), {
      encoding: 'koi8-r',
    });
    expect(text.elements[0]?.text).toBe('привет');
    await expect(read('a.txt', 'x', { encoding: 'constructor' })).rejects.toMatchObject({
      reason: 'unsupported',
    });
  });

  it('stops when the caller leaves', async () => {
    const controller = new AbortController();
    controller.abort(new Error('gone'));
    const reading = documents.read(fileOf('a.txt', 'text'), {}, controller.signal);
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toThrow('gone');
    await expect(reading.summary).rejects.toThrow('gone');
  });

  it('says that LibreOffice is missing, or reads what it converts', async () => {
    const word = compoundFile({ WordDocument: Buffer.alloc(5_000) });
    const reason = await read('old.doc', word).catch((error: Unreadable) => error.reason);
    // Where LibreOffice is installed, it finds no document in these bytes.
    expect(['no converter', 'invalid']).toContain(reason);
  });
});

async function cp1251(text: string): Promise<Uint8Array> {
  const decoder = new TextDecoder('windows-1251');
  const table = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from([...text].map((character) => table.get(character) ?? 63));
}

it('reads ranges of pages in parallel, in order, and refuses too many', async () => {
  const tasks = new URL('../../test/testkit/documents/worker-tasks.ts', import.meta.url).href;
  const paged = openDocuments({ ...settings, max_pages: 100 }, { tasks });
  const path = join(folder, '90 pages');
  writeFileSync(path, 'x');
  const reading = paged.read({ path, name: 'a.pdf' });
  const texts: string[] = [];
  for await (const { text } of reading) texts.push(text);
  expect(texts.map((text) => Number(/\d+/.exec(text)?.[0]))).toEqual(
    Array.from({ length: 90 }, (_, index) => index + 1),
  );
  expect(new Set(texts.map((text) => text.split(' by ')[1])).size).toBe(2);
  expect((await reading.summary).reports).toHaveLength(90);
  writeFileSync(join(folder, '101 pages'), 'x');
  const refused = paged.read({ path: join(folder, '101 pages'), name: 'a.pdf' })[Symbol.asyncIterator]();
  await expect(refused.next()).rejects.toMatchObject({ reason: 'too many pages' });
  await paged.close();
});
