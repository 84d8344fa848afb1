import type { Box } from '../../element.ts';
import { height, median, shared, union, width } from '../geometry.ts';
import type { TableBlock, Word } from '../page-content.ts';
import { cutRow, type Row, toRow } from '../rows.ts';
import { listMarker } from '../text/list-marker.ts';
import { type Gutter, gutters } from './gutters.ts';
import { toTable, type WordCell } from './table-cells.ts';

/** A gap of this many font sizes may separate cells. */
export const cellGap = 1.1;

export interface AlignedTable {
  block: TableBlock;
  /** The rows of the page that it takes, as a range. */
  from: number;
  to: number;
  /** Two columns of longer text may as well be something else. */
  sure: boolean;
}

interface CutRow {
  row: Row;
  parts: Row[];
}

/** Tables without vertical lines: consecutive rows whose parts stand below each other. */
export function alignedTables(rows: Row[], horizontalRules: Box[]): AlignedTable[] {
  const cut = rows.map((row) => ({ row, parts: cutRow(row, cellGap) }));
  const tables: AlignedTable[] = [];
  for (let from = 0; from < cut.length; from += 1) {
    if ((cut[from] as CutRow).parts.length < 2) continue;
    for (const to of possibleEnds(cut, from, horizontalRules)) {
      const table = readRun(cut.slice(from, to), horizontalRules);
      if (!table) continue;
      tables.push({ block: table.block, sure: table.sure, from, to });
      from = to - 1;
      break;
    }
  }
  return tables;
}

/**
 * Up to a rule across the table first, then the longest run. What follows a table may look like more of it, so then
 * shorter ones, up to single lines.
 */
function possibleEnds(cut: CutRow[], from: number, rules: Box[]): number[] {
  const longest = endOfRun(cut, from);
  const { box } = (cut[from] as CutRow).row;
  const across = rules.filter((rule) => rule.left < box.left + 15 && rule.right > box.right - 15);
  const last = across.filter((rule) => rule.top < (cut[longest - 1] as CutRow).row.box.bottom + 14).at(-1);
  const ruled = cut.findIndex(
    ({ row }, index) => index > from && last !== undefined && row.box.top > last.top - 2,
  );
  const ends = ruled > from + 2 && ruled < longest ? [ruled, longest] : [longest];
  for (let to = longest - 1; to > from + 2 && ends.length < 6; to -= 1)
    if ((cut[to] as CutRow).parts.length === 1 && (cut[to - 1] as CutRow).parts.length > 1) ends.push(to);
  return ends;
}

/** A run goes on while rows have several parts, or one that may be a wrapped cell, and are not far apart. */
function endOfRun(cut: CutRow[], from: number): number {
  let end = from + 1;
  let single = 0;
  for (let index = from + 1; index < cut.length; index += 1) {
    const { row, parts } = cut[index] as CutRow;
    const previous = (cut[index - 1] as CutRow).row;
    if (row.baseline - previous.baseline > 3.2 * Math.max(row.size, previous.size)) break;
    if (parts.length > 1) {
      end = index + 1;
      single = 0;
      continue;
    }
    single += 1;
    const pitch = (previous.baseline - (cut[from] as CutRow).row.baseline) / Math.max(1, index - 1 - from);
    const apart = index > from + 2 && row.baseline - previous.baseline > 1.35 * pitch;
    if (single > 3 || apart) break;
  }
  return lastWrapped(cut, from, end);
}

/** Wrapped lines below the last row belong to it if they stand in one of its columns, not the first. */
function lastWrapped(cut: CutRow[], from: number, end: number): number {
  const last = cut[end - 1] as CutRow;
  let to = end;
  while (to < cut.length) {
    const { row } = cut[to] as CutRow;
    const previous = (cut[to - 1] as CutRow).row;
    const column = last.parts.slice(1).find((part) => Math.abs(part.box.left - row.box.left) < 2);
    const next = last.parts[last.parts.indexOf(column as Row) + 1];
    const fits = column && (!next || row.box.right < next.box.left);
    if (!fits || row.baseline - previous.baseline > 1.35 * row.size) break;
    to += 1;
  }
  return Math.max(to, from + 1);
}

function readRun(run: CutRow[], rules: Box[]): { block: TableBlock; sure: boolean } | undefined {
  const several = run.filter(({ parts }) => parts.length > 1);
  const box = union(run.map(({ row }) => row.box));
  const ruled = rules.filter(
    (rule) => rule.top > box.top - 14 && rule.bottom < box.bottom + 14 && width(rule) > 0.7 * width(box),
  );
  const fewest = ruled.length >= 2 ? 2 : 3;
  if (several.length < Math.min(fewest, 3)) return undefined;
  const between = gutters(
    several.map(({ row }) => row),
    box,
  );
  if (between.length === 0) return undefined;
  const columns = between.length + 1;
  const across = run.map(({ parts }) => parts.length === 1 && width(parts[0]?.box ?? box) > 0.6 * width(box));
  // Lines across the table are subheadings, which are few and do not follow the first row.
  const stray = run[1]?.parts.length === 1 && run[2]?.parts.length === 1;
  if (across[1] || stray || across.filter(Boolean).length > 0.25 * run.length) return undefined;
  const cells = cellsOf(run, between);
  if (ruled.length < 2 && !looksLikeTable(cells.grid, columns, box, between)) return undefined;
  const lengths = cells.grid.flat().map((words) => textLength(words));
  const sure = ruled.length >= 2 || columns > 2 || median(lengths.filter(Boolean)) < 16;
  const edges = [box.left, ...between.map((gutter) => (gutter.from + gutter.to) / 2), box.right];
  const block: TableBlock = {
    type: 'table',
    box,
    table: toTable(cells.grid.length, columns, cells.cells),
    columnEdges: edges,
  };
  return { block, sure };
}

const textLength = (words: Word[]) => words.reduce((sum, word) => sum + word.text.length + 1, 0);

/** Columns of prose fill their width, and lists begin with markers: neither is a table. */
function looksLikeTable(grid: Word[][][], columns: number, box: Box, between: Gutter[]): boolean {
  const edges = [box.left, ...between.flatMap(({ from, to }) => [from, to]), box.right];
  const prose = Array.from({ length: columns }, (_, column) => {
    const cells = grid.map((row) => row[column] ?? []).filter((words) => words.length > 0);
    const room = (edges[2 * column + 1] as number) - (edges[2 * column] as number);
    const fill = median(
      cells.map((words) => width(union(words.map((word) => word.box))) / Math.max(1, room)),
    );
    return fill > 0.75 && median(cells.map(textLength)) > 22;
  });
  if (columns === 2 && prose[1] && grid.length > 3 && textLength(grid[0]?.[0] ?? []) > 22) return false;
  if (prose.every(Boolean)) return false;
  if (isJustified(grid, box, between)) return false;
  const first = grid.map((row) => row[0] ?? []).filter((words) => words.length > 0);
  const marked = first.filter((words) => words.length === 1 && listMarker(words[0]?.text ?? ''));
  if (columns === 2 && marked.length > 0.5 * first.length) return false;
  const full = grid.filter((row) => row.filter((words) => words.length > 0).length > 1);
  return full.length >= 2 && full.length >= 0.5 * grid.length;
}

/** Justified text has wide spaces, too, and some of them stand below each other; but it fills its lines. */
function isJustified(grid: Word[][][], box: Box, between: Gutter[]): boolean {
  const rows = grid.map((row) => row.flat());
  const size = median(rows.flat().map((word) => word.style.size));
  const ink = rows.map((words) => words.reduce((sum, word) => sum + width(word.box), 0) / width(box));
  const widest = Math.max(...between.map(({ from, to }) => to - from));
  return widest < 1.6 * size && median(ink) > (between.length === 1 ? 0.6 : 0.66);
}

function cellsOf(run: CutRow[], between: Gutter[]): { grid: Word[][][]; cells: WordCell[] } {
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
