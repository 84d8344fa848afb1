import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LayoutElement } from '../../../contracts/hosted/layout-elements.ts';
import type { DocumentElement } from '../../../documents/element.ts';
import { answerType } from './accept.ts';
import { toCsv } from './to-csv.ts';
import { toWire } from './to-wire.ts';

const file = { name: 'отчёт.pdf', type: 'application/pdf' };
const options = { coordinates: false, unique_element_ids: false, include_page_breaks: false };
const region = (page: number) => ({
  page,
  box: { left: 72, top: 36, right: 144, bottom: 72 },
  pageWidth: 612,
  pageHeight: 792,
});
const elements: DocumentElement[] = [
  { index: 0, kind: 'Title', text: 'One', page: 1, depth: 0, regions: [region(1)] },
  { index: 1, kind: 'NarrativeText', text: 'a', page: 1, parent: 0, regions: [region(1), region(2)] },
  { index: 2, kind: 'PageBreak', text: '', page: 1, regions: [] },
  { index: 3, kind: 'NarrativeText', text: 'a', page: 2, parent: 0, regions: [], languages: ['eng'] },
];
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

describe('toWire', () => {
  it('gives ids of name, text, page and position on the page, and parents by id', () => {
    const wire = toWire(elements, file, options);
    expect(wire.map(({ element_id }) => element_id)).toEqual([
      hash('отчёт.pdfOne10'),
      hash('отчёт.pdfa11'),
      hash('отчёт.pdfa20'),
    ]);
    expect(wire[2]?.metadata).toEqual({
      filename: 'отчёт.pdf',
      filetype: 'application/pdf',
      languages: ['eng'],
      page_number: 2,
      parent_id: hash('отчёт.pdfOne10'),
    });
    for (const element of wire) expect(LayoutElement.safeParse(element).success).toBe(true);
  });

  it('counts pages from starting_page_number, and has None for formats without pages', () => {
    const [first] = toWire(elements, file, { ...options, starting_page_number: 11 });
    expect([first?.metadata.page_number, first?.element_id]).toEqual([11, hash('отчёт.pdfOne110')]);
    const [plain] = toWire([{ index: 0, kind: 'Title', text: 'x', regions: [] }], file, options);
    expect(plain?.element_id).toBe(hash('отчёт.pdfxNone0'));
  });

  it('has coordinates in pixels at 200 dpi where they are asked for, page breaks and unique ids, too', () => {
    const all = { coordinates: true, unique_element_ids: true, include_page_breaks: true };
    const wire = toWire(elements, file, all);
    expect(wire.map(({ type }) => type)).toContain('PageBreak');
    expect(wire[0]?.element_id).toMatch(/^[0-9a-f]{8}-/);
    expect(wire[1]?.metadata.coordinates).toEqual({
      points: [
        [200, 100],
        [200, 200],
        [400, 200],
        [400, 100],
      ],
      system: 'PixelSpace',
      layout_width: 1700,
      layout_height: 2200,
    });
  });
});

describe('toCsv', () => {
  it('has one row per element and quotes what needs it', () => {
    const csv = toCsv(toWire([{ index: 0, kind: 'Title', text: 'a "b",\nc', regions: [] }], file, options));
    expect(csv.split('\n')[0]).toBe('type,element_id,text,filename,filetype');
    expect(csv).toContain('Title,');
    expect(csv).toContain('"a ""b"",\nc"');
  });
});

describe('answerType', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json;q=1, text/csv;q=0', 'application/json'],
    ['text/csv', 'text/csv'],
    ['multipart/mixed', 'multipart/mixed'],
    ['text/*;q=0.5, application/json;q=0.4', 'text/csv'],
    ['image/png', undefined],
    ['application/json;q=0', undefined],
  ] as const)('%s means %s', (accept, expected) => {
    expect(answerType(accept, 'application/json')).toBe(expected);
  });

  it('follows output_format where the client accepts anything', () => {
    expect(answerType('*/*', 'text/csv')).toBe('text/csv');
  });
});
