import type { PassageSegment } from '../../../contracts/retrieval.ts';
import { splitText } from '../../../documents/chunking/split-text.ts';
import type { DocumentElement, Region, TableCell, TableCells } from '../../../documents/element.ts';
import type { ChunkDraft, ChunkSizes } from './chunk-draft.ts';
import { boxOf } from './locate-sections.ts';
import { tableMarkdown } from './table-markdown.ts';

type Base = Pick<ChunkDraft, 'headings' | 'pageName' | 'mail'>;
type Line = { row: number; text: string };

/** A table as one passage, or as several with its header repeated where it is too long. */
export function* tableDrafts(
  element: DocumentElement,
  table: TableCells,
  base: Base,
  sizes: ChunkSizes,
): Generator<ChunkDraft> {
  const rows = rowsOf(table);
  const lines = rows.map((cells, row) => ({ row, text: rowText(cells) }));
  const markdown = tableMarkdown(table);
  const draft = (part: readonly Line[]): ChunkDraft => ({
    ...draftOf(element, table, base, part),
    markdown: markdown(new Set(part.map(({ row }) => row))),
  });
  const all = lines.filter(({ text }) => text !== '');
  if (lengthOf(all) <= sizes.table) {
    if (all.length > 0) yield draft(all);
    return;
  }
  const header = headerOf(lines.slice(0, table.headerRows), sizes.text);
  const room = sizes.text - lengthOf(header);
  let held: Line[] = [];
  for (const line of lines.slice(header.length > 0 ? table.headerRows : 0)) {
    for (const text of line.text.length > room ? splitText(line.text, splitting(room)) : [line.text]) {
      if (text === '') continue;
      if (held.length > 0 && lengthOf(held) + text.length > room) {
        yield draft([...header, ...held]);
        held = [];
      }
      held.push({ row: line.row, text });
    }
  }
  if (held.length > 0) yield draft([...header, ...held]);
}

const splitting = (most: number) => ({ most, overlap: 0, sentences: true });
const lengthOf = (lines: readonly Line[]) => lines.reduce((sum, { text }) => sum + text.length + 1, 0);

/** A header that would take half of the room is not repeated. */
function headerOf(lines: readonly Line[], most: number): Line[] {
  const filled = lines.filter(({ text }) => text !== '');
  return lengthOf(filled) <= most / 2 ? filled : [];
}

function rowsOf(table: TableCells): TableCell[][] {
  const rows: TableCell[][] = Array.from({ length: table.rows }, () => []);
  for (const cell of table.cells) rows[cell.row]?.push(cell);
  return rows;
}

const rowText = (cells: readonly TableCell[]) =>
  cells
    .map(({ text }) => text.replace(/\s+/gu, ' ').trim())
    .filter(Boolean)
    .join(' ');

function draftOf(
  element: DocumentElement,
  table: TableCells,
  base: Base,
  lines: readonly Line[],
): Omit<ChunkDraft, 'markdown'> {
  const segments = segmentsOf(element, lines);
  // The header may be repeated from another page: the passage is where its first row of data is.
  const body = lines.findIndex(({ row }) => row >= table.headerRows);
  const offset = lengthOf(lines.slice(0, Math.max(0, body)));
  const begin = segments.find(({ end }) => end > offset) ?? segments[0];
  return {
    kind: 'table',
    text: lines.map(({ text }) => text).join('\n'),
    ...base,
    ownHeadings: 0,
    onlyHeadings: false,
    page: begin?.page ?? null,
    segments,
  };
}

/** One segment for rows that follow each other in one region. */
function segmentsOf({ regions, page }: DocumentElement, lines: readonly Line[]): PassageSegment[] {
  const segments: (PassageSegment & { region: Region | undefined; row: number })[] = [];
  let at = 0;
  for (const { row, text } of lines) {
    const region = regionOf(regions, row);
    const last = segments.at(-1);
    const end = at + text.length;
    if (last && last.region === region && row <= last.row + 1) Object.assign(last, { end, row });
    else {
      const boxes = region ? [boxOf(region)] : [];
      segments.push({ start: at, end, page: region?.page ?? page ?? null, boxes, region, row });
    }
    at = end + 1;
  }
  return segments.map(({ start, end, page: on, boxes }) => ({ start, end, page: on, boxes }));
}

const regionOf = (regions: readonly Region[], row: number): Region | undefined =>
  regions.findLast((region, index) => index === 0 || (region.row ?? Number.POSITIVE_INFINITY) <= row);
