import type { Box } from '../../element.ts';
import { height, median, shared, union } from '../geometry.ts';
import type { Word } from '../page-content.ts';
import { type Row, toRow } from '../rows.ts';
import type { Gutter } from './gutters.ts';
import type { WordCell } from './table-cells.ts';
import type { CutRow } from './table-runs.ts';

/** Distributes the words of a run over rows and columns: as a grid, and as cells that may span columns. */
export function cellsOf(run: CutRow[], between: Gutter[]): { grid: Word[][][]; cells: WordCell[] } {
  const columns = between.length + 1;
  const box = union(run.map(({ row }) => row.box));
  const edges = [box.left, ...between.flatMap(({ from, to }) => [from, to]), box.right];
  const grid: Word[][][] = [];
  const spans: number[][] = [];
  const pitch = usualPitch(run);
  run.forEach(({ row, parts }, index) => {
    const line: Word[][] = Array.from({ length: columns }, () => []);
    const span: number[] = Array.from({ length: columns }, () => 1);
    for (const part of parts.flatMap((one) => splitAt(one, between))) {
      const [from, to] = columnsOf(part.box, edges);
      line[from]?.push(...part.words);
      span[from] = Math.max(span[from] as number, to - from + 1);
    }
    const distance = index === 0 ? Infinity : row.baseline - (run[index - 1] as CutRow).row.baseline;
    const above = grid.at(-1);
    if (above && isContinuation(line, row, distance, pitch))
      for (const [column, words] of line.entries()) above[column]?.push(...words);
    else {
      grid.push(line);
      spans.push(span);
    }
  });
  return { grid, cells: grid.flatMap((line, row) => rowCells(line, spans[row] as number[], row)) };
}

/** Cuts a part of a row at the borders of columns, where words do not stand as close as in a sentence. */
function splitAt(part: Row, between: Gutter[]): Row[] {
  const pieces: Word[][] = [[]];
  part.words.forEach((word, index) => {
    const previous = part.words[index - 1];
    const gap = previous ? word.box.left - previous.box.right : 0;
    const border =
      previous && between.some(({ from, to }) => shared(from, to, previous.box.right, word.box.left) > 0);
    if (border && gap > 0.5 * part.size) pieces.push([]);
    pieces.at(-1)?.push(word);
  });
  return pieces.length === 1 ? [part] : pieces.map(toRow);
}

/** The first and the last column that something stands in. Reaching a little into the next does not count. */
function columnsOf(box: Box, edges: number[]): [from: number, to: number] {
  const inside = Array.from({ length: edges.length / 2 }, (_, column) => {
    const [from, to] = [edges[2 * column] as number, edges[2 * column + 1] as number];
    const common = shared(from, to, box.left, box.right);
    return { common, counts: common > 0.25 * (to - from) };
  });
  const most = inside.reduce(
    (best, one, column) => (one.common > (inside[best]?.common ?? 0) ? column : best),
    0,
  );
  const first = inside.findIndex((one) => one.counts);
  return first < 0 ? [most, most] : [first, inside.findLastIndex((one) => one.counts)];
}

function rowCells(line: Word[][], spans: number[], row: number): WordCell[] {
  const cells: WordCell[] = [];
  for (let column = 0; column < line.length; ) {
    const columnSpan = Math.min(spans[column] as number, line.length - column);
    cells.push({
      row,
      column,
      rowSpan: 1,
      columnSpan,
      words: line.slice(column, column + columnSpan).flat(),
    });
    column += columnSpan;
  }
  return cells;
}

function usualPitch(run: CutRow[]): number {
  const steps = run.slice(1).map(({ row }, index) => row.baseline - (run[index] as CutRow).row.baseline);
  return Math.max(...steps, 0) === 0
    ? 0
    : median(steps.toSorted((a, b) => a - b).slice(Math.floor(steps.length / 3)));
}

/** A wrapped line leaves the first column empty, or stands closer to the row above than rows do. */
function isContinuation(line: Word[][], row: Row, distance: number, pitch: number): boolean {
  const filled = line.filter((words) => words.length > 0).length;
  if (filled === line.length) return false;
  const tight = distance < 1.4 * Math.max(row.size, height(row.box) * 0.7);
  if (line[0]?.length === 0) return tight;
  return tight && distance < 0.8 * pitch;
}
