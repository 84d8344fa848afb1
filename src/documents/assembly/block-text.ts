import type { Emphasis, Link } from '../element.ts';
import type { Run, TextLine } from '../layout/page-content.ts';
import { joinLines, withoutSoftHyphens } from '../layout/text/hyphens.ts';
import { lineText } from '../layout/text-line.ts';

export interface BlockText {
  text: string;
  links: Link[];
  emphasis: Emphasis[];
}

/** The text of lines that flow into each other, with what stands out in it. */
export function flowingText(lines: TextLine[], marker?: string): BlockText {
  let text = '';
  const runs: { run: Run; start: number; end: number }[] = [];
  for (const line of lines) {
    const own = lineText(line).trimEnd();
    text = joinLines(text, own);
    let start = text.length - own.length;
    for (const run of line.runs) {
      runs.push({ run, start, end: start + run.text.length });
      start += run.text.length;
    }
  }
  const prefix = marker === undefined ? '' : `${marker} `;
  const links = spans(runs, text, (run) => run.link).map(({ value, start, text: label }) => ({
    text: label,
    url: value,
    start: start + prefix.length,
  }));
  return { text: withoutSoftHyphens(prefix + text).trim(), links, emphasis: emphasisOf(lines, runs, text) };
}

type PlacedRun = { run: Run; start: number; end: number };

/** Neighbouring runs with the same value become one span. */
function spans(runs: PlacedRun[], text: string, lookOf: (run: Run) => string | undefined) {
  const found: { value: string; start: number; end: number }[] = [];
  let previous: string | undefined;
  for (const { run, start, end } of runs) {
    const value = lookOf(run);
    const last = found.at(-1);
    if (value !== undefined && value === previous && last) last.end = end;
    else if (value !== undefined) found.push({ value, start, end });
    if (run.text.trim() !== '') previous = value;
  }
  return found
    .map(({ value, start, end }) => ({
      value,
      start,
      text: withoutSoftHyphens(text.slice(start, end)).trim(),
    }))
    .filter((span) => span.text !== '');
}

/** Where everything is bold, nothing stands out. A sign after the last word shares its look only by position. */
function emphasisOf(lines: TextLine[], runs: PlacedRun[], text: string): Emphasis[] {
  const allBold = lines.every((line) => line.bold);
  const allItalic = lines.every((line) => line.italic);
  const tagged = (tag: Emphasis['tag'], has: (run: Run) => boolean | undefined) =>
    spans(runs, text, (run) => (has(run) ? tag : undefined)).map((span) => ({
      text: span.text.replace(/[,;:.]+$/, ''),
      tag,
      start: span.start,
    }));
  return [
    ...(allBold ? [] : tagged('b', (run) => run.bold)),
    ...(allItalic ? [] : tagged('i', (run) => run.italic)),
    ...tagged('u', (run) => run.underline),
  ]
    .toSorted((a, b) => a.start - b.start)
    .map(({ text: own, tag }) => ({ text: own, tag }));
}

/** Program code keeps its lines and their indentation. */
export function codeText(lines: TextLine[]): string {
  const left = Math.min(...lines.map((line) => line.box.left));
  return lines
    .map((line, at) => {
      const own = lineText(line);
      const letter = (line.box.right - line.box.left) / Math.max(1, own.length);
      const indent = ' '.repeat(Math.max(0, Math.round((line.box.left - left) / Math.max(1, letter))));
      const before = lines[at - 1];
      const isApart = before !== undefined && line.baseline - before.baseline > 1.9 * line.size;
      return (isApart ? '\n' : '') + indent + own;
    })
    .join('\n');
}
