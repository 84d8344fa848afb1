import type { Block, Cell, Run, TableBlock } from '../content/block.ts';
import { tokensOf } from './break-lines.ts';
import { type Base, styleOf } from './looks.ts';
import type { Measure } from './measure.ts';
import { monoWidth } from './set-text.ts';

interface Extent {
  /** Without breaking a word. */
  least: number;
  /** Without breaking a line. */
  most: number;
}

/** How wide the columns of a table are: as wide as their content if there is room, or else by how much they hold. */
export function columnWidths(
  { cells, columns }: TableBlock,
  { room, base, padding, measure }: { room: number; base: Base; padding: number; measure: Measure },
): number[] {
  const extents: Extent[] = Array.from({ length: columns }, () => ({ least: 12, most: 12 }));
  const bySpan = cells.toSorted((one, other) => one.columns - other.columns);
  for (const cell of bySpan) {
    const content = extentOf(cell.blocks, base, measure);
    const wanted = { least: content.least + 2 * padding, most: Math.min(room, content.most + 2 * padding) };
    widen(extents.slice(cell.column, cell.column + cell.columns), wanted, cell);
  }
  const least = sum(extents.map((it) => it.least));
  const most = sum(extents.map((it) => Math.max(it.most, it.least)));
  if (most <= room) return extents.map((it) => Math.max(it.most, it.least));
  if (least <= room) {
    const share = (room - least) / Math.max(1e-9, most - least);
    return extents.map((it) => it.least + share * Math.max(0, it.most - it.least));
  }
  return squeezed(
    extents.map((it) => it.least),
    room,
  );
}

/** A cell over several columns needs them to be wide together. */
function widen(extents: readonly Extent[], wanted: Extent, { columns }: Cell): void {
  for (const side of ['least', 'most'] as const) {
    const lacking = wanted[side] - sum(extents.map((it) => it[side]));
    if (lacking > 0) for (const it of extents) it[side] += lacking / columns;
  }
}

/** Takes width from the widest only. */
function squeezed(widths: readonly number[], room: number): number[] {
  const sorted = widths.toSorted((one, other) => one - other);
  let left = room;
  for (const [at, width] of sorted.entries()) {
    const cap = left / (sorted.length - at);
    if (width > cap) return widths.map((it) => Math.min(it, cap));
    left -= width;
  }
  return [...widths];
}

function extentOf(blocks: readonly Block[], base: Base, measure: Measure): Extent {
  const extent = { least: 0, most: 0 };
  const take = (least: number, most: number) => {
    extent.least = Math.max(extent.least, least);
    extent.most = Math.max(extent.most, most);
  };
  for (const block of blocks) {
    if (block.kind === 'paragraph' || block.kind === 'heading') {
      const text = textExtent(block.runs, base, measure);
      take(text.least, text.most);
    } else if (block.kind === 'code') {
      const longest = block.text.split('\n').reduce((most, line) => Math.max(most, line.length), 0);
      const width = longest * monoWidth * base.size * 0.9 + 12;
      take(Math.min(width, 90), width);
    } else if (block.kind === 'list' || block.kind === 'panel') {
      const inner = block.kind === 'list' ? block.items.flatMap((item) => item.blocks) : block.blocks;
      const { least, most } = extentOf(inner, base, measure);
      take(least + 2.2 * base.size, most + 2.2 * base.size);
    } else if (block.kind === 'picture') {
      const width = (block.width ?? block.picture.width) * 0.75;
      take(Math.min(width, 60), width);
    } else if (block.kind === 'table') take(30 * block.columns, 90 * block.columns);
  }
  return extent;
}

function textExtent(runs: readonly Run[], base: Base, measure: Measure): Extent {
  let [least, most, line, word] = [0, 0, 0, 0];
  for (const run of runs) {
    const style = styleOf(run, base);
    for (const token of tokensOf(run.text)) {
      const width = token === '\n' ? 0 : measure(token, style);
      line = token === '\n' ? 0 : line + width;
      word = token === '\n' || token === ' ' ? 0 : word + width;
      least = Math.max(least, word);
      most = Math.max(most, line);
    }
  }
  return { least: least + 0.1, most: most + 0.1 };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
