import type { Box } from '../../element.ts';
import { median, union, width } from '../geometry.ts';
import type { TableBlock } from '../page-content.ts';
import { cutRow, type Row } from '../rows.ts';
import { cellsOf } from './aligned-cells.ts';
import { gutters } from './gutters.ts';
import { looksLikeTable, textLength } from './looks-like-table.ts';
import { toTable } from './table-cells.ts';
import { type CutRow, possibleEnds } from './table-runs.ts';

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
