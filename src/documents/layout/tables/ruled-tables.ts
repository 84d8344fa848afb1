import type { Box } from '../../element.ts';
import { contains, middleX, middleY, shared } from '../geometry.ts';
import type { TableBlock, Word } from '../page-content.ts';
import { rowsOf } from '../rows.ts';
import { connectedLines, positions, type RuleLine, type RuleLines, ruleLines } from './rule-lines.ts';
import { toTable, type WordCell } from './table-cells.ts';

export interface FoundTable {
  block: TableBlock;
  words: Set<Word>;
}

interface Grid {
  xs: number[];
  ys: number[];
}

/** Tables whose cells are bordered by lines. Cells between which the line is missing are merged. */
export function ruledTables(rules: Box[], words: Word[]): FoundTable[] {
  const tables: FoundTable[] = [];
  for (const lines of connectedLines(ruleLines(rules))) {
    const grid = gridOf(lines);
    if (!grid) continue;
    const inside = words.filter((word) => contains(boxOf(grid), middleX(word.box), middleY(word.box)));
    const table = readGrid(grid, lines, inside);
    if (table) tables.push({ block: table, words: new Set(inside) });
  }
  return tables.filter((table) => !tables.some((other) => other !== table && encloses(other, table)));
}

const encloses = (outer: FoundTable, inner: FoundTable) =>
  outer.words.size > inner.words.size && [...inner.words].every((word) => outer.words.has(word));

function gridOf({ horizontal, vertical }: RuleLines): Grid | undefined {
  if (horizontal.length < 2 || vertical.length === 0) return undefined;
  const xs = positions(
    vertical.map((line) => line.at),
    3.5,
  );
  const ys = positions(
    horizontal.map((line) => line.at),
    3.5,
  );
  // Tables may be open at the sides: their horizontal lines then reach beyond the vertical ones.
  const from = Math.min(...horizontal.map((line) => line.from));
  const to = Math.max(...horizontal.map((line) => line.to));
  if (from < (xs[0] as number) - 8) xs.unshift(from);
  if (to > (xs.at(-1) as number) + 8) xs.push(to);
  const above = Math.min(...vertical.map((line) => line.from));
  const below = Math.max(...vertical.map((line) => line.to));
  if (above < (ys[0] as number) - 8) ys.unshift(above);
  if (below > (ys.at(-1) as number) + 8) ys.push(below);
  if (xs.length < 3 || ys.length < 2 || xs.length * ys.length > 20_000) return undefined;
  return { xs, ys };
}

const boxOf = ({ xs, ys }: Grid): Box => ({
  left: xs[0] as number,
  top: ys[0] as number,
  right: xs.at(-1) as number,
  bottom: ys.at(-1) as number,
});

function readGrid(outline: Grid, lines: RuleLines, words: Word[]): TableBlock | undefined {
  const grid = splitBands(outline, lines, words);
  const [columns, rows] = [grid.xs.length - 1, grid.ys.length - 1];
  if (rows < 2) return undefined;
  const cells = mergeCells(grid, lines);
  for (const word of words) {
    const column = indexIn(grid.xs, middleX(word.box));
    const row = indexIn(grid.ys, middleY(word.box));
    cells
      .find(
        (cell) =>
          row >= cell.row &&
          row < cell.row + cell.rowSpan &&
          column >= cell.column &&
          column < cell.column + cell.columnSpan,
      )
      ?.words.push(word);
  }
  const filled = cells.filter((cell) => cell.words.length > 0).length;
  // Grids of charts and empty frames are no tables.
  if (cells.length < 3 || filled < 2 || filled < cells.length * 0.2) return undefined;
  return { type: 'table', box: boxOf(grid), table: toTable(rows, columns, cells), columnEdges: grid.xs };
}

function indexIn(edges: number[], value: number): number {
  let index = 0;
  while (index < edges.length - 2 && value > (edges[index + 1] as number)) index += 1;
  return index;
}

/** Where lines separate only columns, rows of text on common baselines are the rows of the table. */
function splitBands(grid: Grid, { horizontal }: RuleLines, words: Word[]): Grid {
  const ys: number[] = [grid.ys[0] as number];
  for (let band = 0; band < grid.ys.length - 1; band += 1) {
    const [top, bottom] = [grid.ys[band] as number, grid.ys[band + 1] as number];
    const inBand = words.filter((word) => middleY(word.box) > top && middleY(word.box) < bottom);
    const rows = rowsOf(inBand);
    const complete = rows.filter((row) => {
      const used = new Set(row.words.map((word) => indexIn(grid.xs, middleX(word.box))));
      return used.size === grid.xs.length - 1;
    });
    const fullLine = horizontal.some((line) => Math.abs(line.at - bottom) < 3.5);
    if (rows.length >= 3 && complete.length === rows.length && fullLine)
      rows.slice(1).forEach((row, index) => {
        ys.push(((rows[index]?.box.bottom ?? 0) + row.box.top) / 2);
      });
    ys.push(bottom);
  }
  return { xs: grid.xs, ys };
}

function mergeCells({ xs, ys }: Grid, lines: RuleLines): WordCell[] {
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const drawn = new Set(ys.filter((y) => lines.horizontal.some((line) => Math.abs(line.at - y) < 3.6)));
  const lineRight = (row: number, column: number) =>
    covered(lines.vertical, xs[column + 1] as number, ys[row] as number, ys[row + 1] as number);
  const lineBelow = (row: number, column: number) =>
    !drawn.has(ys[row + 1] as number) ||
    covered(lines.horizontal, ys[row + 1] as number, xs[column] as number, xs[column + 1] as number);
  const taken = new Set<number>();
  const cells: WordCell[] = [];
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      if (taken.has(row * columns + column)) continue;
      let columnSpan = 1;
      while (
        column + columnSpan < columns &&
        !taken.has(row * columns + column + columnSpan) &&
        !lineRight(row, column + columnSpan - 1)
      )
        columnSpan += 1;
      const across = Array.from({ length: columnSpan }, (_, index) => column + index);
      let rowSpan = 1;
      while (
        row + rowSpan < rows &&
        across.every((at) => !lineBelow(row + rowSpan - 1, at) && !taken.has((row + rowSpan) * columns + at))
      )
        rowSpan += 1;
      for (let down = 0; down < rowSpan; down += 1)
        for (const at of across) taken.add((row + down) * columns + at);
      cells.push({ row, column, rowSpan, columnSpan, words: [] });
    }
  return cells;
}

/** Whether lines at a position cover most of a stretch. */
function covered(lines: RuleLine[], at: number, from: number, to: number): boolean {
  let length = 0;
  for (const line of lines)
    if (Math.abs(line.at - at) < 3.6) length += Math.max(0, shared(line.from, line.to, from, to));
  return length > 0.6 * (to - from);
}
