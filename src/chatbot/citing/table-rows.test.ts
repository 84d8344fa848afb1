import { describe, expect, it } from 'vitest';
import type { Passage } from '../../contracts/retrieval.ts';
import { tableRows } from './table-rows.ts';

const rowsOf = (text: string, markdown: string, start = 0, end = text.length) => {
  const segment = { start, end, page: 1, boxes: [] };
  const passage = { text, markdown, segments: [segment] } as never as Passage;
  return tableRows(passage, segment).map((row) => [text.slice(row.start, row.end), row.shown]);
};

describe('tableRows', () => {
  it('finds rows on lines of their own or on one line', () => {
    const markdown = '| Part | Price |\n| --- | --- |\n| A-1 | 5 |\n| A-12 | 5 |\n| B \\| C | 7 |';
    const rows = [
      ['A-1 5', 'Part: A-1; Price: 5'],
      ['A-12 5', 'Part: A-12; Price: 5'],
      ['B | C 7', 'Part: B | C; Price: 7'],
    ];
    expect(rowsOf('Part Price A-1 5 A-12 5 B | C 7', markdown)).toEqual(rows);
    expect(rowsOf('Part Price\nA-1 5\nA-12 5\nB | C 7', markdown)).toEqual(rows);
    expect(rowsOf('Part Price\nA-12 5', '| Part | Price |\n|---|---|\n| A-1 | 2 |')).toEqual([]);
  });

  it('finds rows below a cell that spans several, and only those of the segment', () => {
    const text = 'City Office\nOmsk Lenina 1\nMira 2';
    const markdown = '| City | Office |\n| --- | --- |\n| Omsk | Lenina 1 |\n| Omsk | Mira 2 |';
    expect(rowsOf(text, markdown)).toEqual([
      ['Omsk Lenina 1', 'City: Omsk; Office: Lenina 1'],
      ['Mira 2', 'City: Omsk; Office: Mira 2'],
    ]);
    expect(rowsOf(text, markdown, 0, 25)).toHaveLength(1);
    expect(rowsOf('plain text', 'plain text')).toEqual([]);
  });
});
