import { describe, expect, test } from 'vitest';
import type { TableCells } from '../../../src/documents/element.ts';
import { compareOutlines } from './outline.ts';
import { kendallTau, readingOrder } from './reading-order.ts';
import { add, f1, noScore } from './scores.ts';
import { treeSimilarity } from './table-tree.ts';
import { compareCells, pairTables } from './tables.ts';
import { editDistance, similarity } from './text.ts';

/** Rows of texts; `^` continues the cell above, `<` the cell to the left. */
function table(...rows: string[]): TableCells {
  const cells: TableCells['cells'] = [];
  const grid = rows.map((row) => row.split('|'));
  for (const [row, texts] of grid.entries())
    for (const [column, text] of texts.entries()) {
      const owner = cells.findLast((cell) =>
        text === '<' ? cell.row === row : cell.column === column && cell.row < row,
      );
      if (text === '<' && owner) owner.columnSpan += 1;
      else if (text === '^' && owner) owner.rowSpan += 1;
      else cells.push({ row, column, rowSpan: 1, columnSpan: 1, text });
    }
  return { rows: rows.length, columns: grid[0]?.length ?? 0, headerRows: 1, cells };
}

describe('text similarity', () => {
  test('counts characters, not whitespace, dashes or quotation marks', () => {
    expect(similarity('«Мост»  —\nоткрыт', '"Мост" - открыт')).toBe(1);
    expect(similarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7);
    expect(similarity('', '')).toBe(1);
    expect(similarity('abc', '')).toBe(0);
  });

  test('is exact for texts that differ by more than the first band', () => {
    const text = Array.from({ length: 400 }, (_, index) => index);
    expect(editDistance(text, [...text.slice(200), ...text.slice(0, 200)])).toBe(400);
    expect(editDistance(text, text.toReversed())).toBe(400);
    expect(editDistance(text, text.slice(150))).toBe(150);
    expect(editDistance([], text)).toBe(400);
  });
});

describe('outlines', () => {
  test('match by similar text, with or without the marker, and count depths separately', () => {
    const score = compareOutlines(
      [
        { text: '1. Check the pump', depth: 0 },
        { text: 'Close the valve', depth: 1 },
        { text: 'Wait for an hour', depth: 1 },
      ],
      [{ text: 'Check the pump' }, { text: '• Close the va1ve', depth: 0 }, { text: 'A stray line' }],
    );
    expect(score).toEqual({ expected: 3, found: 3, correct: 2, depths: 1 });
    expect(f1(score)).toBeCloseTo(2 / 3);
  });

  test('match each entry once', () => {
    const score = compareOutlines([{ text: 'Summary' }], [{ text: 'Summary' }, { text: 'Summary' }]);
    expect(score.correct).toBe(1);
    expect(f1(add(score, noScore))).toBeCloseTo(2 / 3);
    expect(f1(noScore)).toBeUndefined();
  });
});

describe('reading order', () => {
  test('is 1 for the same order and −1 for the reverse', () => {
    expect(kendallTau([1, 5, 9])).toBe(1);
    expect(kendallTau([9, 5, 1])).toBe(-1);
    expect(kendallTau([1])).toBeUndefined();
  });

  test('finds texts that were joined, split or misread', () => {
    const truth = ['the first text is here', 'a second one follows it', 'and this is the third', 'Конец'];
    expect(
      readingOrder(truth, [
        'the first text is here a second one follows it and',
        'this is the third',
        'КОНЕЦ',
      ]),
    ).toBe(1);
    expect(
      readingOrder(truth, ['a second one f0llows it', 'the first text is here and this is the third']),
    ).toBeCloseTo(1 / 3);
  });
});

describe('tables', () => {
  const truth = table('City|Year|<', '^|2024|2025', 'Tver|10|11', 'Орёл|7|8');

  test('cells count by position and text', () => {
    expect(f1(compareCells(truth, truth))).toBe(1);
    const found = table('City|Year||', 'Tver|10|11', 'Орёл|7|8');
    expect(compareCells(truth, found)).toEqual({ expected: 10, found: 8, correct: 2 });
    expect(compareCells(truth, undefined)).toEqual({ expected: 10, found: 0, correct: 0 });
  });

  test('pair by shared words', () => {
    const other = table('Name|Role', 'Anna|Head');
    expect(pairTables([truth, other], [other, table('x|y')])).toEqual([
      { expected: truth, found: undefined },
      { expected: other, found: other },
      { found: table('x|y') },
    ]);
  });

  test('trees: spans, texts and missing rows cost what they differ by', () => {
    expect(treeSimilarity(truth, truth)).toBe(1);
    // 10 cells, 4 rows, 1 table; without the last row 4 nodes are missing.
    expect(treeSimilarity(truth, table('City|Year|<', '^|2024|2025', 'Tver|10|11'))).toBeCloseTo(1 - 4 / 15);
    expect(treeSimilarity(truth, table('City|Year|<', '^|2024|2025', 'Tver|10|19', 'Орёл|7|8'))).toBeCloseTo(
      1 - 0.5 / 15,
    );
    // Two spans lost and two empty cells added: the larger tree has 17 nodes.
    expect(treeSimilarity(truth, table('City|Year|', '|2024|2025', 'Tver|10|11', 'Орёл|7|8'))).toBeCloseTo(
      1 - 4 / 17,
    );
  });
});
