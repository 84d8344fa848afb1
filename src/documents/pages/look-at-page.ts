import type { Box } from '../element.ts';
import { area, contains, middleX, middleY, overlap, times, union } from '../layout/geometry.ts';
import type { PageBlock, Word } from '../layout/page-content.ts';
import { cutRow, rowsOf } from '../layout/rows.ts';
import { alignedTables, cellGap } from '../layout/tables/aligned-tables.ts';
import type { FoundTable } from '../layout/tables/ruled-tables.ts';
import { ruledTables } from '../layout/tables/ruled-tables.ts';
import { toTable, type WordCell } from '../layout/tables/table-cells.ts';
import type { Picture } from '../pictures/picture.ts';
import { findCells, type SeenCell, type SeenTable } from '../vision/find-cells.ts';
import { findRegions, type PageRegion } from '../vision/find-regions.ts';
import type { Vision } from '../vision/open-vision.ts';

interface SeenPage {
  words: Word[];
  rules: Box[];
  picture: Picture;
  /** Points per pixel. */
  scale: number;
}

/** What the models add to the words of a page, in points. */
export interface PageView {
  regions: PageRegion[];
  tables: FoundTable[];
  figures: { box: Box; words: Word[] }[];
}

/** Figures with more words than this, or with columns of them, are text that was taken for a figure. */
const mostLabels = 40;
/** The table model is not believed if it joins columns in more than this share of the cells. */
const mostJoined = 0.08;

export async function lookAtPage(vision: Vision, page: SeenPage): Promise<PageView> {
  const seen = await findRegions(await vision.layout(), page.picture);
  const regions = seen.map((region) => ({ ...region, box: times(region.box, page.scale) }));
  const ruled = ruledTables(page.rules, page.words).map(({ block }) => block.box);
  const tables: FoundTable[] = [];
  for (const { role, box } of regions) {
    const known = ruled.some((other) => overlap(box, other) > 0.5 * Math.min(area(box), area(other)));
    if (role !== 'table' || known) continue;
    const table = await readTable(vision, page, box);
    if (table) tables.push(table);
  }
  const figures = regions
    .filter(
      ({ role, box, score }) =>
        role === 'figure' &&
        !regions.some(
          (other) => other.role === 'text' && other.score > score && cutsThrough(box, other.box),
        ) &&
        !ruled.some((other) => overlap(box, other) > 0.5 * Math.min(area(box), area(other))),
    )
    .map(({ box }) => ({ box, words: within(page.words, box) }))
    .filter(({ words }) => words.length <= mostLabels && alignedTables(rowsOf(words), []).length === 0)
    .filter(({ box, words }) => !isLine(box, words));
  return { regions, tables, figures };
}

/** A figure with part of a text in it is grainy paper. */
const cutsThrough = (figure: Box, text: Box) => {
  const inside = overlap(figure, text) / area(text);
  return inside > 0.2 && inside < 0.95;
};

/** A line of text with little around it, such as a footer, is no figure. */
const isLine = (box: Box, words: Word[]) =>
  words.length > 0 && box.bottom - box.top < 3 * Math.max(...words.map((word) => word.style.size));

const within = (words: Word[], box: Box) =>
  words.filter((word) => contains(box, middleX(word.box), middleY(word.box)));

async function readTable(vision: Vision, page: SeenPage, region: Box): Promise<FoundTable | undefined> {
  const words = within(page.words, region);
  if (words.length < 4) return undefined;
  const box = union(words.map((word) => word.box));
  const table = await findCells(await vision.table(), page.picture, times(box, 1 / page.scale));
  const seen = table && fill(withoutCaption(table), words, box, page.scale);
  return !seen || seen.joined > mostJoined ? (aligned(words, page.rules) ?? seen) : seen;
}

/** The share of a table's cells in which words stand as far apart as columns do. */
const joinedCells = (cells: WordCell[]) => {
  const filled = cells.filter((cell) => cell.words.length > 0);
  const joined = filled.filter(({ words }) => rowsOf(words).some((row) => cutRow(row, cellGap).length > 1));
  return joined.length / Math.max(1, filled.length);
};

/** The table that the words make by their places alone, if it has nearly all of them. */
function aligned(words: Word[], rules: Box[]): FoundTable | undefined {
  const rows = rowsOf(words);
  const flat = rules.filter((box) => box.right - box.left > box.bottom - box.top);
  const [table, ...more] = alignedTables(
    rows,
    flat.toSorted((a, b) => a.top - b.top),
  );
  if (!table || more.length > 0) return undefined;
  const own = rows.slice(table.from, table.to).flatMap((row) => row.words);
  return own.length > 0.9 * words.length ? { block: table.block, words: new Set(own) } : undefined;
}

/** A caption inside the region comes out as a first row of one cell. */
function withoutCaption(table: SeenTable): SeenTable {
  const first = table.cells.filter((cell) => cell.row === 0);
  if (first.length !== 1 || first[0]?.columnSpan !== table.columns || table.rows < 3) return table;
  const cells = table.cells.filter((cell) => cell.row > 0).map((cell) => ({ ...cell, row: cell.row - 1 }));
  return { ...table, rows: table.rows - 1, cells };
}

function fill(
  table: SeenTable,
  words: Word[],
  box: Box,
  scale: number,
): (FoundTable & { joined: number }) | undefined {
  const cells = table.cells.map((cell) => ({ ...cell, box: times(cell.box, scale), words: [] as Word[] }));
  const top = Math.min(...cells.map((cell) => cell.box.top));
  const used = words.filter((word) => word.box.bottom > top - 2);
  for (const word of used) nearest(cells, word).words.push(word);
  const filled = cells.filter((cell) => cell.words.length > 0).length;
  if (filled < 0.5 * cells.length || filled < 4) return undefined;
  const placed: WordCell[] = cells.map(({ row, column, rowSpan, columnSpan, words: own }) => ({
    row,
    column,
    rowSpan,
    columnSpan,
    words: own,
  }));
  const columnEdges = Array.from({ length: table.columns + 1 }, (_, column) =>
    edge(cells, column, table.columns, box),
  );
  return {
    block: { type: 'table', box, table: toTable(table.rows, table.columns, placed), columnEdges },
    words: new Set(used),
    joined: joinedCells(placed),
  };
}

/** Vertical distance counts double: words stray sideways more than they change rows. */
function nearest<Cell extends SeenCell>(cells: Cell[], word: Word): Cell {
  const [x, y] = [middleX(word.box), middleY(word.box)];
  const distance = ({ box }: Cell) =>
    Math.max(0, box.left - x, x - box.right) +
    2 * Math.max(0, box.top - y, y - box.bottom) +
    0.01 * (Math.abs(middleX(box) - x) + 2 * Math.abs(middleY(box) - y));
  return cells.reduce((best, cell) => (distance(cell) < distance(best) ? cell : best));
}

function edge(cells: SeenCell[], column: number, columns: number, box: Box): number {
  if (column === 0) return box.left;
  if (column === columns) return box.right;
  const starts = cells.filter((cell) => cell.column === column).map((cell) => cell.box.left);
  return starts.length > 0 ? Math.min(...starts) : box.left + ((box.right - box.left) * column) / columns;
}

/** Tells text blocks what the layout model takes them for. */
export function addRoles(blocks: PageBlock[], regions: PageRegion[]): PageBlock[] {
  return blocks.map((block) => {
    if (block.type !== 'text') return block;
    const region = regions
      .filter(({ box }) => overlap(box, block.box) > 0.5 * area(block.box))
      .reduce<PageRegion | undefined>(
        (best, one) => (best && best.score > one.score ? best : one),
        undefined,
      );
    return region ? { ...block, role: region.role } : block;
  });
}
