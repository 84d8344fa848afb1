import { expect, test } from 'vitest';
import { ruledTables } from './ruled-tables.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: '' };
const word = (text: string, x: number, y: number) => ({
  text,
  box: { left: x, right: x + 20, top: y, bottom: y + 12 },
  baseline: y + 10,
  style,
});
const flat = (y: number, from: number, to: number) => ({ left: from, right: to, top: y, bottom: y + 0.5 });
const upright = (x: number, from: number, to: number) => ({ left: x, right: x + 0.5, top: from, bottom: to });

test('a missing line merges cells', () => {
  const rules = [
    ...[0, 20, 40, 60].map((y) => flat(y, y === 40 ? 50 : 0, 150)),
    upright(0, 0, 60),
    upright(50, 0, 60),
    upright(100, 20, 60),
    upright(150, 0, 60),
  ];
  const words = [
    word('a', 10, 4),
    word('b', 60, 4),
    word('c', 10, 24),
    word('d', 60, 24),
    word('e', 110, 24),
    word('f', 60, 44),
    word('g', 110, 44),
  ];
  const [table] = ruledTables(rules, words);
  const cells = table?.block.table.cells.map((cell) => [
    cell.row,
    cell.column,
    cell.rowSpan,
    cell.columnSpan,
    cell.text,
  ]);
  expect(cells).toEqual([
    [0, 0, 1, 1, 'a'],
    [0, 1, 1, 2, 'b'],
    [1, 0, 2, 1, 'c'],
    [1, 1, 1, 1, 'd'],
    [1, 2, 1, 1, 'e'],
    [2, 1, 1, 1, 'f'],
    [2, 2, 1, 1, 'g'],
  ]);
});

test('a frame and the grid of a chart are no tables', () => {
  const frame = [flat(0, 0, 100), flat(50, 0, 100), upright(0, 0, 50), upright(100, 0, 50)];
  expect(ruledTables(frame, [word('note', 10, 10)])).toEqual([]);
  const ys = [0, 20, 40, 60, 80, 100];
  const chart = [...ys.map((y) => flat(y, 0, 100)), ...ys.map((x) => upright(x, 0, 100))];
  expect(ruledTables(chart, [word('1', 2, 2)])).toEqual([]);
});
