import type { Passage, PassageSegment } from '../../contracts/retrieval.ts';

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
  let above: string[] = [];
  for (const { header, cells } of markdownRows(passage.markdown)) {
    // A cell over several rows is repeated in Markdown, but stands in the text once.
    const own = cells.filter((cell, column) => cell !== above[column]);
    above = cells;
    const span =
      locate(passage.text, cells, from, segment.end) ?? locate(passage.text, own, from, segment.end);
    if (!span) continue;
    from = span[1];
    found.push({ start: span[0], end: span[1], shown: labelled(header, cells) });
  }
  return found;
}

/** The rows of the tables in Markdown, each with the header of its table. */
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
  const words = cells.flatMap((cell) => cell.split(/\s+/u)).filter(Boolean);
  const [first] = words;
  if (first === undefined) return undefined;
  for (let start = text.indexOf(first, from); start >= 0 && start < to; ) {
    const end = start === from || isSpace(text[start - 1]) ? endOf(text, words, start, to) : undefined;
    if (end !== undefined) return [start, end];
    start = text.indexOf(first, start + 1);
  }
  return undefined;
}

function endOf(text: string, words: string[], start: number, to: number): number | undefined {
  let at = start;
  for (const word of words) {
    while (at < to && isSpace(text[at])) at++;
    const end = at + word.length;
    if (!text.startsWith(word, at) || end > to || (end < to && !isSpace(text[end]))) return undefined;
    at = end;
  }
  return at;
}

const isSpace = (character: string | undefined) => character === undefined || /\s/u.test(character);

const labelled = (header: string[], cells: string[]) =>
  cells
    .map((cell, column) => (cell === '' ? '' : header[column] ? `${header[column]}: ${cell}` : cell))
    .filter(Boolean)
    .join('; ');
