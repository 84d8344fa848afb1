import type { Block, ListItemBlock, Run } from '../content/block.ts';
import type { PdfDocument } from '../file/pdf-document.ts';
import type { Budget } from '../limits.ts';
import { bodySize, faint, frame, headingSize, ink, ruleInk, tones } from './looks.ts';
import type { Measure } from './measure.ts';
import { backed, type Item, indented, isTable, type Piece, space } from './piece.ts';
import { setPicture } from './set-picture.ts';
import { setTable } from './set-table.ts';
import { setCode, setText } from './set-text.ts';

export interface SettingContext {
  measure: Measure;
  document: PdfDocument;
  budget: Budget;
}

export interface Frame {
  width: number;
  size: number;
  /** Tables around it. */
  tables: number;
  /** Lists and boxes around it: those very deep inside get no narrower. */
  depth: number;
}

export const pageFrame: Frame = { width: frame.width, size: bodySize, tables: 0, depth: 0 };

const deepest = 8;
const mostTables = 2;
const panelPadding = 9;

/** The items of blocks, from top to bottom. */
export function setBlocks(blocks: readonly Block[], within: Frame, context: SettingContext): Item[] {
  return blocks.flatMap((block) => {
    context.budget.check();
    return setBlock(block, within, context);
  });
}

function setBlock(block: Block, within: Frame, context: SettingContext): Item[] {
  const { width, size } = within;
  const { measure } = context;
  switch (block.kind) {
    case 'heading':
      return setHeading(block, within, context);
    case 'paragraph': {
      const base = block.look === 'caption' ? { size: size * 0.9, colour: faint } : { size };
      return setText(block.runs, base, { width, gap: 0.75 * size, measure });
    }
    case 'code':
      return setCode(block.text, { width, gap: 0.8 * size, size });
    case 'list':
      return setList(block.items, within, context);
    case 'panel':
      return setPanel(block, within, context);
    case 'picture':
      return [setPicture(block, within, context)];
    case 'rule':
      return [setRule(width)];
    case 'table': {
      if (within.tables >= mostTables)
        return setBlocks(
          block.cells.flatMap((cell) => cell.blocks),
          within,
          context,
        );
      const table = setTable(block, within, {
        measure,
        setCell: (cell, inner) => setBlocks(cell, inner, context),
      });
      return [{ gap: 0.9 * size, left: 0, table }, space(0.4 * size)];
    }
  }
}

export const headingText = (runs: readonly Run[]): string =>
  runs
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .slice(0, 300);

function setHeading(
  { level, runs }: Extract<Block, { kind: 'heading' }>,
  { width, size, tables }: Frame,
  { measure, document }: SettingContext,
): Item[] {
  const letters = tables > 0 ? size * 1.05 : headingSize(level);
  const base = { size: letters, colour: ink, bold: true };
  const lines = setText(runs, base, { width, gap: letters * 0.95, measure, tight: 1.25 });
  return lines.map((line, at) => ({
    ...line,
    keep: true,
    draw(canvas, left, top) {
      if (at === 0 && tables === 0)
        document.outline.push({ title: headingText(runs), level, page: document.pages.length - 1, top });
      line.draw(canvas, left, top);
    },
  }));
}

function setList(items: readonly ListItemBlock[], within: Frame, context: SettingContext): Item[] {
  const { size, depth } = within;
  const { measure } = context;
  const markers = items.map(({ marker }) => measure(marker, { size }));
  const indent =
    depth >= deepest ? 0 : Math.max(1.6 * size, ...markers.map((it) => it + 0.6 * size).slice(0, 1_000));
  const inner = { ...within, width: within.width - indent, depth: depth + 1 };
  return items.flatMap(({ marker, blocks }, at) => {
    const set = setBlocks(blocks, inner, context);
    const [first] = set;
    // An item that begins with a table has its marker on a line above.
    if (!first || isTable(first))
      set.unshift(...setText([{ text: '\u00a0' }], { size }, { ...inner, gap: 0, measure }));
    const gap = at === 0 && depth === 0 ? 0.5 * size : 0.15 * size;
    return set.map((item, place) => {
      const moved = indented({ ...item, ...(place === 0 && { gap }) }, indent);
      return place === 0 && !isTable(moved) && indent > 0 ? marked(moved, marker, size, measure) : moved;
    });
  });
}

function marked(piece: Piece, marker: string, size: number, measure: Measure): Piece {
  if (marker === '') return piece;
  const [line] = setText([{ text: marker }], { size }, { width: Infinity, gap: 0, measure });
  return {
    ...piece,
    draw(canvas, left, top) {
      line?.draw(canvas, left, top);
      piece.draw(canvas, left, top);
    },
  };
}

function setPanel(
  { tone, blocks }: Extract<Block, { kind: 'panel' }>,
  within: Frame,
  context: SettingContext,
): Item[] {
  const { bar, fill } = tones[tone];
  const { width, size, depth } = within;
  if (depth >= deepest) return setBlocks(blocks, within, context);
  const inner = { ...within, width: width - 2 * panelPadding, depth: depth + 1 };
  const items = setBlocks(blocks, inner, context).map((item, at) =>
    indented(at === 0 ? { ...item, gap: 0 } : item, panelPadding),
  );
  const edge = fill ? 0.6 * size : 0.2 * size;
  const all = [
    ...backed([{ ...space(edge), keep: true }, ...items, space(edge)], (canvas, left, top, height) => {
      if (fill) canvas.fill(left, top, width, height, fill);
      canvas.fill(left, top, 2.2, height, bar);
    }),
  ];
  const [first] = all;
  if (first) all[0] = { ...first, gap: 0.8 * size };
  return [...all, space(0.3 * size)];
}

const setRule = (width: number): Piece => ({
  gap: 6,
  height: 6,
  draw: (canvas, left, top) =>
    canvas.line([left, top + 3], [left + width, top + 3], { colour: ruleInk, width: 0.6 }),
});
