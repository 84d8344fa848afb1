import type { Region } from '../element.ts';
import { union } from '../layout/geometry.ts';
import type { PageBlock, PageContent, TableBlock, TextBlock, TextLine } from '../layout/page-content.ts';
import { continues, joinTables, tableContinues } from './joins.ts';
import type { RunningKind } from './running-lines.ts';

/** A block of the document, which may have parts in several columns or pages. */
export interface FlowBlock {
  block: PageBlock;
  running?: RunningKind;
  regions: Region[];
  /** Text that was joined: for each region after the first, the line that it begins with. */
  joints?: number[];
  /** Counts columns through the document, to compare indentation within one. */
  column: number;
}

/** All blocks in reading order: running lines apart, and what continues in the next column or page joined. */
export function flowOf(
  pages: PageContent[],
  running: Map<TextLine, RunningKind>,
  bodySize: number,
): FlowBlock[] {
  const flow: FlowBlock[] = [];
  let column = 0;
  for (const page of pages) {
    const { head, body, foot } = separate(page, running);
    flow.push(...head.map((one) => ({ ...one, column })));
    column += 1;
    let previous: PageBlock | undefined;
    for (const block of body) {
      const jumps = previous !== undefined && startsColumn(previous, block);
      if (jumps) column += 1;
      const joined = previous === undefined || jumps ? joinTo(flow, block, page, bodySize) : false;
      if (!joined) flow.push({ block, regions: [regionOf(page, block)], column });
      previous = block;
    }
    flow.push(...foot.map((one) => ({ ...one, column })));
  }
  return flow;
}

/** The next block in reading order stands higher, or beside: it begins a column. */
const startsColumn = (previous: PageBlock, block: PageBlock) =>
  block.box.top < previous.box.top || block.box.left > previous.box.right;

const regionOf = (page: PageContent, block: { box: PageBlock['box'] }): Region => ({
  page: page.number,
  box: block.box,
  pageWidth: page.width,
  pageHeight: page.height,
  ...(page.turned && { turned: page.turned }),
});

function separate(page: PageContent, running: Map<TextLine, RunningKind>) {
  const head: Omit<FlowBlock, 'column'>[] = [];
  const foot: Omit<FlowBlock, 'column'>[] = [];
  const body: PageBlock[] = [];
  for (const block of page.blocks) {
    if (block.type !== 'text') {
      body.push(block);
      continue;
    }
    const rest = block.lines.filter((line) => !running.has(line));
    for (const line of block.lines.filter((one) => running.has(one))) {
      const own: TextBlock = { ...block, lines: [line], box: line.box };
      const kind = running.get(line) as RunningKind;
      const list = line.box.top < page.height / 2 ? head : foot;
      list.push({ block: own, running: kind, regions: [regionOf(page, own)] });
    }
    if (rest.length === block.lines.length) body.push(block);
    else if (rest.length > 0) body.push({ ...block, lines: rest, box: union(rest.map((line) => line.box)) });
  }
  return { head, body, foot };
}

/** Looks back over running lines, footnotes and floats for the text that the block continues. */
function joinTo(flow: FlowBlock[], block: PageBlock, page: PageContent, bodySize: number): boolean {
  if (block.type === 'picture') return false;
  const before = flow.slice(-12).toReversed();
  for (const one of before) {
    if (one.running) continue;
    if (block.type === 'table') {
      if (one.block.type !== 'table' || one.regions.at(-1)?.page === page.number) return false;
      if (!tableContinues(one.block, block)) return false;
      const row = one.block.table.rows;
      one.block = joinTables(one.block, block as TableBlock);
      one.regions.push({ ...regionOf(page, block), row });
      return true;
    }
    if (one.block.type !== 'text' || isFootnote(one.block, bodySize, block)) continue;
    if (!continues(one.block, block)) return false;
    one.joints = [...(one.joints ?? []), one.block.lines.length];
    one.block = { ...one.block, lines: [...one.block.lines, ...block.lines], columnRight: block.columnRight };
    one.regions.push(regionOf(page, block));
    return true;
  }
  return false;
}

const isFootnote = (block: TextBlock, bodySize: number, next: TextBlock) =>
  (block.lines[0]?.size ?? 0) < 0.93 * bodySize && (next.lines[0]?.size ?? 0) > 0.95 * bodySize;
