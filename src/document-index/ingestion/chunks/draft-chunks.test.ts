import { describe, expect, it } from 'vitest';
import type { DocumentElement, ElementKind, Region } from '../../../documents/element.ts';
import { contextLine } from './context-line.ts';
import { documentTitle } from './document-title.ts';
import { draftChunks } from './draft-chunks.ts';

const sizes = { text: 200, table: 400 };
const region = (page: number, more: Partial<Region> = {}): Region => ({
  page,
  box: { left: 10, top: 20, right: 100.123, bottom: 40 },
  pageWidth: 600,
  pageHeight: 800,
  ...more,
});
type Given = Partial<DocumentElement> & { text: string };
const elementsOf = (list: [ElementKind, Given | string][]): DocumentElement[] =>
  list.map(([kind, given], index) => ({
    kind,
    index,
    regions: [],
    ...(typeof given === 'string' ? { text: given } : given),
  }));
const drafts = (...list: [ElementKind, Given | string][]) => [...draftChunks(elementsOf(list), sizes)];

describe('draftChunks', () => {
  it('keeps offsets exact over white space, pages and splits', () => {
    const words = Array.from({ length: 60 }, (_, at) => `слово${at}`);
    const text = `${words.slice(0, 30).join(' ')}  \n ${words.slice(30).join(' ')}`;
    const start = text.indexOf('слово30');
    const found = drafts(['NarrativeText', { text, regions: [region(1), region(2, { start })] }]);
    expect(found.length).toBeGreaterThan(2);
    const seen: string[] = [];
    for (const { text: own, segments, page } of found) {
      expect(own.length).toBeLessThanOrEqual(sizes.text);
      expect(page).toBe(segments[0]?.page);
      for (const segment of segments) {
        const part = own.slice(segment.start, segment.end);
        expect(part).toBe(part.trim());
        for (const word of part.split(' ')) {
          expect(segment.page).toBe(words.indexOf(word) < 30 ? 1 : 2);
          seen.push(word);
        }
      }
    }
    expect(seen).toEqual(words);
    expect(found[0]?.segments[0]?.boxes).toEqual([{ page: 1, left: 10, top: 20, right: 100.1, bottom: 40 }]);
  });

  it('leaves out titles that the next passage stands under, and keeps others', () => {
    const table = { text: 'a b', table: { rows: 1, columns: 2, headerRows: 0, cells: cells(['a', 'b']) } };
    const found = drafts(['Title', 'Prices'], ['Table', table], ['Title', 'The end']);
    expect(found.map(({ text, headings }) => [text, headings])).toEqual([
      ['a b', ['Prices']],
      ['The end', ['The end']],
    ]);
  });

  it('takes the headings above the first text where several begin a passage', () => {
    const [found] = drafts(
      ['Title', { text: 'Statute', depth: 0 }],
      ['Title', { text: 'Payment', depth: 1 }],
      ['NarrativeText', 'It is paid at once.'],
    );
    expect(found?.headings).toEqual(['Statute', 'Payment']);
    expect(found && contextLine('Statute', found)).toBe('Statute');
  });

  it('drafts a table of 20,000 rows within seconds, with the cells that span rows', () => {
    const rows = Array.from({ length: 20_000 }, (_, row) =>
      Array.from({ length: 10 }, (_, column) => ({ row, column, rowSpan: 1, columnSpan: 1, text: 'value' })),
    );
    const spanning = { row: 0, column: 10, rowSpan: 20_000, columnSpan: 1, text: 'all' };
    const table = { rows: 20_000, columns: 12, headerRows: 0, cells: [...rows.flat(), spanning] };
    const started = performance.now();
    const found = [
      ...draftChunks(elementsOf([['Table', { text: 'x', table }]]), { text: 1200, table: 2400 }),
    ];
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(found.at(-2)?.markdown?.split('\n').at(-1)).toBe(`| ${'value | '.repeat(10)}all |  |`);
  }, 120_000);

  it('splits a table that is too long between rows, with its header and the right pages', () => {
    const rows = Array.from({ length: 30 }, (_, at) => [`part ${at}`, `x-${at}|y`]);
    const table = {
      rows: 31,
      columns: 2,
      headerRows: 1,
      cells: [['Name', 'Code'], ...rows].flatMap((row, at) => cells(row, at)),
    };
    const regions = [region(3), region(4, { row: 11 })];
    const found = drafts(['Table', { text: 'irrelevant', table, regions }]);
    expect(found.flatMap(({ text }) => text.split('\n').slice(1))).toHaveLength(30);
    for (const { text, markdown, segments } of found) {
      expect(text.startsWith('Name Code\npart')).toBe(true);
      expect(markdown).toContain('| Name | Code |\n| --- | --- |\n| part');
      expect(markdown).toContain('\\|y');
      for (const { start, end, page } of segments) {
        for (const line of text.slice(start, end).split('\n')) {
          const at = line === 'Name Code' ? -1 : Number(line.split(' ')[1]);
          expect(page).toBe(at + 1 >= 11 ? 4 : 3);
        }
      }
    }
    expect(found.at(-1)?.page).toBe(4);
  });

  it('replaces what databases refuse, without moving offsets', () => {
    const [found] = drafts(['NarrativeText', 'a\0b \ud800 c']);
    expect(found?.text).toBe('a b \ufffd c');
  });

  it('keeps a row that is longer than a passage', () => {
    const long = 'word '.repeat(200).trim();
    const table = { rows: 1, columns: 1, headerRows: 0, cells: cells([long]) };
    const found = drafts(['Table', { text: long, table }]);
    expect(found.map(({ text }) => text).join(' ')).toBe(long);
    expect(found.every(({ text }) => text.length <= sizes.text)).toBe(true);
  });
});

function cells(texts: readonly string[], row = 0) {
  return texts.map((text, column) => ({ row, column, rowSpan: 1, columnSpan: 1, text }));
}

it.each([
  [['Title', 'Annual report'], 'a.pdf', 'Annual report'],
  [['Title', '1'], 'Отчёт_за_2025.final.docx', 'Отчёт за 2025.final'],
  [['NarrativeText', 'Text.'], 'constructor', 'constructor'],
  [['NarrativeText', 'Text.'], '.txt', '.txt'],
] as const)('the title of %j in %s is %s', ([kind, text], name, expected) => {
  expect(documentTitle(elementsOf([[kind, text]]), name)).toBe(expected);
});

it('a context line is short, and repeats nothing', () => {
  const [draft] = drafts(['NarrativeText', 'Text.']);
  const headings = ['Book', 'Part', 'x'.repeat(300), 'y'.repeat(300), 'z'.repeat(300), 'Last'];
  const line = draft ? contextLine('Book', { ...draft, headings }) : '';
  expect(line.startsWith('Book › ')).toBe(true);
  expect(line.endsWith(' › Last')).toBe(true);
  expect(line.length).toBeLessThanOrEqual(400);
  expect(line.match(/Book/g)).toHaveLength(1);
  const path = ['Operations', 'Pumps', 'Book'];
  expect(draft && contextLine('Book', draft, path)).toBe('Operations › Pumps › Book');
  expect(draft && contextLine('Book', { ...draft, headings }, path)).toBe(`Pumps › ${line}`);
});
