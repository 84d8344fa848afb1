import { median, union } from './geometry.ts';
import type { TextBlock } from './page-content.ts';
import type { Row } from './rows.ts';
import { follows, listMarker, shownMarker } from './text/list-marker.ts';
import { toLine } from './text-line.ts';

/** Lines of a paragraph are at most this much farther apart than is usual in the column. */
const looseGap = 1.3;
/** An empty line between two lines of code, in font sizes. */
const mostCodeGap = 3.1;

/** Groups the rows of a column into paragraphs, headings and list items. */
export function paragraphs(rows: Row[], usual = usualLeading(rows)): TextBlock[] {
  const sorted = rows.toSorted((a, b) => a.baseline - b.baseline);
  return tightGroups(sorted, usual).flatMap(splitGroup);
}

/** Rows between which there is no wider gap and no change of font size or weight. */
function tightGroups(rows: Row[], usual: number): Row[][] {
  const groups: Row[][] = [];
  let previous: Row | undefined;
  for (const row of rows) {
    if (!previous || isApart(previous, row, usual)) groups.push([]);
    groups.at(-1)?.push(row);
    previous = row;
  }
  return groups;
}

/** The distance between baselines, in font sizes, that most lines keep. */
export function usualLeading(rows: Row[]): number {
  const sorted = rows.toSorted((a, b) => a.baseline - b.baseline);
  const steps = sorted
    .slice(1)
    .map((row, index) => (row.baseline - (sorted[index] as Row).baseline) / row.size)
    .filter((step) => step > 0.8 && step < 2.2)
    .toSorted((a, b) => a - b);
  // Gaps between paragraphs are the larger steps.
  const usual = median(steps.slice(0, Math.ceil(steps.length * 0.8)));
  return steps.length < 4 ? Math.min(usual || 1.3, 1.35) : usual;
}

function isApart(previous: Row, row: Row, usual: number): boolean {
  const [small, big] = [Math.min(previous.size, row.size), Math.max(previous.size, row.size)];
  // Sizes that were measured on a scan are less exact, and so is the weight of short lines.
  const scanned = row.words[0]?.line !== undefined;
  if (big > small * (scanned ? 1.2 : 1.12) + 0.2) return true;
  const step = (row.baseline - previous.baseline) / big;
  // Code has empty lines.
  if (isAll(previous, 'mono') && isAll(row, 'mono') && step > 0 && step < mostCodeGap) return false;
  if (step > Math.max(usual * looseGap, usual + 0.35) || step < 0) return true;
  return (!scanned && differs(previous, row, 'bold')) || differs(previous, row, 'mono');
}

/** Rows without letters, such as a closing bracket, go with any look. */
function differs(previous: Row, row: Row, look: 'bold' | 'mono'): boolean {
  const [before, after] = [isAll(previous, look), isAll(row, look)];
  return before !== undefined && after !== undefined && before !== after;
}

function isAll(row: Row, look: 'bold' | 'mono'): boolean | undefined {
  const telling = row.words.filter((word) => /[\p{L}\p{N}]/u.test(word.text));
  return telling.length === 0 ? undefined : telling.every((word) => word.style[look]);
}

function splitGroup(rows: Row[]): TextBlock[] {
  const right = Math.max(...rows.map((row) => row.box.right));
  const blocks: { rows: Row[]; marker?: string }[] = [];
  const mono = rows.every((row) => isAll(row, 'mono') !== false);
  let last: string | undefined;
  const numbers: PlacedMarker[] = [];
  rows.forEach((row, index) => {
    const previous = rows[index - 1];
    // Quotations and the like have margins of their own.
    const near = rows.filter((other) => Math.abs(other.box.left - row.box.left) <= 2.5 * row.size);
    const edge = Math.max(...near.map((other) => other.box.right));
    const marker = mono ? undefined : markerOf(row, { previous, right: edge, last, numbers });
    const starts =
      !previous || marker !== undefined || (!mono && isHardBreak(blocks.at(-1)?.rows ?? [], row, edge));
    if (starts) blocks.push(marker === undefined ? { rows: [] } : { rows: [], marker });
    blocks.at(-1)?.rows.push(row);
    if (marker !== undefined) {
      last = marker;
      numbers.push({ marker, left: row.box.left });
    }
  });
  return blocks.map(({ rows: own, marker }) => toBlock(own, marker, right));
}

interface PlacedMarker {
  marker: string;
  left: number;
}

interface MarkerContext {
  previous: Row | undefined;
  right: number;
  /** The marker before this line. */
  last: string | undefined;
  /** All markers of the group so far: a list goes on after the lists inside its items. */
  numbers: readonly PlacedMarker[];
}

/**
 * A number or letter at the start of a line is a marker only where a line must start: first in the group, after a
 * hard break, or counting on from the marker before.
 */
function markerOf(row: Row, { previous, right, last, numbers }: MarkerContext): string | undefined {
  const [first, second] = row.words;
  const found = first && second ? listMarker(first.text) : undefined;
  if (!first || !second || !found) return undefined;
  if (!found.ordered) {
    // A dash may begin a line of prose; a bullet can't.
    const dash = /^[-–—−*·o→§]$/.test(found.text);
    const hangs = second.box.left - first.box.right > 0.55 * row.size;
    if (!dash || hangs || !previous || fitsBefore(previous, row, right) || last === found.text)
      return found.text;
    return row.box.left > previous.box.left + 1 ? found.text : undefined;
  }
  // Years and counts, as in "1990. Since then", have no gap of their own after them; initials are followed by more.
  if (/^\p{Lu}\.$/u.test(found.text) && /^\p{Lu}/u.test(second.text)) return undefined;
  if (!previous || fitsBefore(previous, row, right)) return found.text;
  if (last !== undefined && follows(last, found.text)) return found.text;
  const goesOn = ({ marker, left }: PlacedMarker) =>
    Math.abs(left - row.box.left) < 2 && follows(marker, found.text);
  if (numbers.some(goesOn)) return found.text;
  const indented = row.box.left > previous.box.left + 0.8 * row.size;
  return indented && /^\(?(?:1|a|а|i)[.)]$/i.test(found.text) ? found.text : undefined;
}

/** Text flows to the next line because its first word has no room: if it had, the line was broken on purpose. */
function fitsBefore(previous: Row, row: Row, right: number): boolean {
  const first = row.words[0];
  if (!first) return false;
  const room = right - previous.box.right;
  return room > first.box.right - first.box.left + 0.9 * row.size;
}

function isHardBreak(block: Row[], row: Row, right: number): boolean {
  const previous = block.at(-1);
  if (!previous) return false;
  const indent = row.box.left - previous.box.left;
  // First lines are indented; list items hang, so their second line is indented against the marker.
  if (indent > 0.9 * row.size && block.length > 1 && indent < 6 * row.size) return true;
  if (indent > 0.9 * row.size && block.length === 1 && !listMarker(previous.words[0]?.text ?? ''))
    return endsSentence(previous) && previous.box.right < right - 2 * row.size;
  if (indent < -0.9 * row.size && block.length > 1 && startsList(block)) return true;
  return fitsBefore(previous, row, right) && !isCentred(previous, row);
}

const startsList = (block: Row[]) => listMarker(block[0]?.words[0]?.text ?? '') !== undefined;
const endsSentence = (row: Row) => /[.!?:;…]["»”)]?$/.test(row.words.at(-1)?.text ?? '');

/** Lines of a centred heading end where they end. */
function isCentred(previous: Row, row: Row): boolean {
  const middle = (previous.box.left + previous.box.right) / 2;
  const next = (row.box.left + row.box.right) / 2;
  return Math.abs(middle - next) < 2 && Math.abs(previous.box.left - row.box.left) > row.size;
}

function toBlock(rows: Row[], marker: string | undefined, columnRight: number): TextBlock {
  const box = union(rows.map((row) => row.box));
  const block: TextBlock = { type: 'text', box, lines: rows.map(toLine), columnRight };
  if (marker === undefined) return block;
  const [first, ...rest] = rows as [Row, ...Row[]];
  const words = first.words.slice(1);
  const line = { ...first, words, box: union(words.map((word) => word.box)) };
  return { ...block, lines: [toLine(line), ...rest.map(toLine)], marker: shownMarker(marker) };
}
