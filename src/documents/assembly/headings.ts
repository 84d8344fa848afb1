import { median } from '../layout/geometry.ts';
import type { TextBlock } from '../layout/page-content.ts';

export interface BodyLook {
  size: number;
  bold: boolean;
  /** Sizes measured on pictures vary from line to line. */
  scanned: boolean;
}

const longest = { words: 25, characters: 220, lines: 4 };
const numbered = /^\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+\p{Lu}/u;
const named =
  /^(?:глава|раздел|часть|приложение|статья|§|chapter|section|part|appendix|article)\s+(?:\d+|[ivxlc]+\b|\p{Lu}\b)/iu;

/** Whether a block of text is a heading, judged by its look beside the body of the document. */
export function isHeading(block: TextBlock, text: string, body: BodyLook): boolean {
  const first = block.lines[0];
  if (!first || block.lines.length > longest.lines || text.length > longest.characters) return false;
  const words = text.split(/\s+/);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (words.length > longest.words || letters < 2 || letters < 0.4 * text.replace(/\s/g, '').length)
    return false;
  if (block.marker !== undefined && !/\d/.test(block.marker)) return false;
  if (/[,;]$/.test(text) || block.lines.every((line) => line.mono)) return false;
  const ends = /[.:]$/.test(text);
  // Continuations begin in lower case.
  if (block.marker === undefined && /^\p{Ll}/u.test(text)) return false;
  const sizes = block.lines.map((line) => line.size);
  const ratio = (body.scanned ? median(sizes) : Math.min(...sizes)) / body.size;
  if (ratio >= (body.scanned ? 1.22 : 1.14)) return !ends || words.length <= 12;
  if (block.role === 'title') return !ends && words.length <= 15;
  if (ends || ratio < (body.scanned ? 0.85 : 0.95)) return false;
  if (block.lines.every((line) => line.bold) && !body.bold)
    return block.lines.length <= 3 && words.length <= 15;
  if (block.lines.length > 1) return false;
  if (isCapitals(text) && words.length <= 12 && letters >= 4) return true;
  return (numbered.test(text) || named.test(text)) && words.length <= 10;
}

const isCapitals = (text: string) => /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);

/** How deep a heading stands, from the styles that the document uses for headings: larger first, then bolder. */
export function headingDepths(headings: { block: TextBlock; text: string }[], scanned: boolean): number[] {
  const sizes = sizeSteps(
    headings.map(({ block }) => sizeOf(block)),
    scanned ? 0.12 : 0.035,
  );
  const keys = headings.map(({ block, text }) => {
    const size = sizes.findIndex((step) => sizeOf(block) >= step - 0.01);
    const plain = block.lines.every((line) => line.bold) || isCapitals(text) ? 0 : 1;
    const parts = /^\d{1,3}((?:\.\d{1,3})*)/.exec(text)?.[1]?.split('.').length ?? 1;
    return [size, scanned ? 0 : plain, Math.max(1, parts)] as const;
  });
  const order = [...new Map(keys.map((key) => [key.join(), key])).values()].toSorted(
    (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2],
  );
  const ranks = new Map(order.map((key, rank) => [key.join(), rank]));
  return keys.map((key) => Math.min(6, ranks.get(key.join()) ?? 0));
}

const sizeOf = (block: TextBlock) => Math.max(...block.lines.map((line) => line.size));

/** The smallest size of each group of like sizes, the largest group first. */
function sizeSteps(sizes: number[], tolerance: number): number[] {
  const steps: number[] = [];
  let top = Infinity;
  for (const size of sizes.toSorted((a, b) => b - a)) {
    if (steps.length > 0 && top - size <= top * tolerance) steps[steps.length - 1] = size;
    else {
      steps.push(size);
      top = size;
    }
  }
  return steps;
}
