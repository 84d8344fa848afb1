import { expect, test } from 'vitest';
import { rowsOf } from '../rows.ts';
import { alignedTables } from './aligned-tables.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: '' };

/** Words of 5 points per letter at their places. */
function page(lines: [text: string, x: number][][], pitch = 16) {
  const words = lines.flatMap((line, row) =>
    line.flatMap(([text, x]) => {
      let left = x;
      return text.split(' ').map((word) => {
        const box = { left, right: left + word.length * 5, top: row * pitch, bottom: row * pitch + 12 };
        left = box.right + 3;
        return { text: word, box, baseline: row * pitch + 10, style };
      });
    }),
  );
  return rowsOf(words);
}

const cells = (rows: ReturnType<typeof rowsOf>) =>
  alignedTables(rows, []).map(({ block }) =>
    block.table.cells.map((cell) => [cell.row, cell.column, cell.columnSpan, cell.text].join('|')),
  );

test('parts below each other are columns; a heading that is wider than its column stays in it', () => {
  const rows = page([
    [
      ['Name', 50],
      ['Remained', 120],
      ['That', 170],
    ],
    [
      ['Anna Petrova', 50],
      ['12', 120],
      ['Of', 170],
    ],
    [
      ['Bob Stone', 50],
      ['345', 120],
      ['And', 170],
    ],
    [
      ['Carla Diaz', 50],
      ['6', 120],
      ['By', 170],
    ],
  ]);
  expect(cells(rows)[0]?.slice(0, 6)).toEqual([
    '0|0|1|Name',
    '0|1|1|Remained',
    '0|2|1|That',
    '1|0|1|Anna Petrova',
    '1|1|1|12',
    '1|2|1|Of',
  ]);
});

test('a list is not a table, nor are two columns of prose', () => {
  const list = ['First of all items', 'Second one', 'Third one here'].map((text): [string, number][] => [
    ['•', 50],
    [text, 75],
  ]);
  expect(cells(page(list))).toEqual([]);
  const prose = Array.from({ length: 5 }, (): [string, number][] => [
    ['lorem ipsum dolor sit amet consectetur', 50],
    ['adipiscing elit sed do eiusmod tempor', 270],
  ]);
  expect(cells(page(prose))).toEqual([]);
});
