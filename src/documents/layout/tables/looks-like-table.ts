import type { Box } from '../../element.ts';
import { median, union, width } from '../geometry.ts';
import type { Word } from '../page-content.ts';
import { listMarker } from '../text/list-marker.ts';
import type { Gutter } from './gutters.ts';

export const textLength = (words: Word[]) => words.reduce((sum, word) => sum + word.text.length + 1, 0);

/** Columns of prose fill their width, and lists begin with markers: neither is a table. */
export function looksLikeTable(grid: Word[][][], columns: number, box: Box, between: Gutter[]): boolean {
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
