import type { Passage, PassageSegment } from '../bots.ts';

interface RowSpan {
  start: number;
  end: number;
  /** The row with its headers: `Header: cell; …`. */
  shown: string;
}

const mostRows = 500;

/**
 * The rows of the Markdown tables in a passage that stand in this segment of its text, where the cells of a row follow
 * each other, separated by white space.
 */
export function tableRows(passage: Passage, segment: PassageSegment): RowSpan[] {
  const found: RowSpan[] = [];
  let from = segment.start;
  for (const { header, cells } of markdownRows(passage.markdown)) {
    const span = locate(passage.text, cells.filter(Boolean), from, segment.end);
    if (!span) continue;
    from = span[1];
    found.push({ start: span[0], end: span[1], shown: labelled(header, cells) });
  }
  return found;
}

/** Whether the passage is a table, with the rows of its Markdown. */
function* markdownRows(markdown: string): Generator<{ header: string[]; cells: string[] }> {
  if (!/^\s*\|/mu.test(markdown)) return;
  let header: string[] = [];
  let rows = 0;
  const lines = markdown.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!/^\s*\|.*\|\s*$/u.test(line)) {
      header = [];
    } else if (isRule(lines[index + 1] ?? '') && !isRule(line)) {
      header = cellsOf(line);
    } else if (!isRule(line) && rows++ < mostRows) {
      yield { header, cells: cellsOf(line) };
    }
  }
}

const isRule = (line: string) => /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/u.test(line);

const cellsOf = (line: string) =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) =>
      cell
        .replaceAll(/<br\s*\/?>/gi, ' ')
        .replaceAll(/\\([|\\`*_<>[\]])/g, '$1')
        .trim(),
    );

/** Where the cells stand one after the other, with only white space between them. */
function locate(text: string, cells: string[], from: number, to: number): [number, number] | undefined {
  const [first] = cells;
  if (first === undefined) return undefined;
  const words = cells.flatMap((cell) => cell.split(/\s+/u)).filter(Boolean);
  for (let start = text.indexOf(words[0] as string, from); start >= 0 && start < to; ) {
    const end = endOf(text, words, start, to);
    if (end !== undefined) return [start, end];
    start = text.indexOf(words[0] as string, start + 1);
  }
  return undefined;
}

function endOf(text: string, words: string[], start: number, to: number): number | undefined {
  let at = start;
  for (const word of words) {
    while (at < to && /\s/u.test(text[at] as string)) at++;
    if (!text.startsWith(word, at) || at + word.length > to) return undefined;
    at += word.length;
  }
  return at;
}

const labelled = (header: string[], cells: string[]) =>
  cells
    .map((cell, column) => (cell === '' ? '' : header[column] ? `${header[column]}: ${cell}` : cell))
    .filter(Boolean)
    .join('; ');
