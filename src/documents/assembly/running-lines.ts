import type { PageContent, TextBlock, TextLine } from '../layout/page-content.ts';
import { isPageNumber } from '../layout/text/page-number.ts';
import { lineText } from '../layout/text-line.ts';

export type RunningKind = 'Header' | 'Footer' | 'PageNumber';

interface Candidate {
  page: PageContent;
  block: TextBlock;
  line: TextLine;
  band: 'Header' | 'Footer';
  text: string;
  /** Distance from the nearer edge of the page. */
  offset: number;
}

/** Running lines stand within this part of the page, at its top and bottom. */
const band = 0.13;
/** Text rarely comes as close to the edge of a page. */
const edge = 0.055;
/** Lines at the top and bottom of a page that are looked at. */
const depth = 4;

/** Finds headers, footers and page numbers: lines that return at the same place on other pages, apart from numbers. */
export function runningLines(pages: PageContent[], bodySize: number): Map<TextLine, RunningKind> {
  const found = new Map<TextLine, RunningKind>();
  const candidates = pages.flatMap(candidatesOf);
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = `${candidate.band} ${pattern(candidate.text)}`;
    groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  const enough = pages.length < 4 ? 2 : Math.max(2, Math.ceil(Math.min(10, pages.length * 0.25)));
  for (const group of mergeSimilar([...groups.values()])) {
    const kept = group.filter((one) => isRepeated(one, group, enough, bodySize));
    for (const { line, text, band: place } of kept)
      found.set(line, isPageNumber(text) ? 'PageNumber' : place);
  }
  for (const page of pages) loneNumbers(page, candidates, found);
  for (const page of pages) loneLines(page, candidates, found, bodySize);
  // What a model takes for a running line needs no repetition either, if it is smaller than the text.
  for (const { block, line, band: place, text } of candidates)
    if (!found.has(line) && block.role === place.toLowerCase() && line.size < 0.93 * bodySize)
      found.set(line, isPageNumber(text) ? 'PageNumber' : place);
  return found;
}

function candidatesOf(page: PageContent): Candidate[] {
  const all = page.blocks
    .filter((block) => block.type === 'text')
    .flatMap((block) => block.lines.map((line) => ({ page, block, line, text: lineText(line).trim() })))
    .filter(({ text }) => text !== '');
  const sorted = all.toSorted((a, b) => a.line.box.top - b.line.box.top);
  const top = sorted
    .slice(0, depth)
    .filter(({ line }) => line.box.bottom < band * page.height)
    .map((one) => ({ ...one, band: 'Header' as const, offset: one.line.box.top }));
  const bottom = sorted
    .slice(-depth)
    .filter(({ line }) => line.box.top > (1 - band) * page.height)
    .map((one) => ({ ...one, band: 'Footer' as const, offset: page.height - one.line.box.bottom }));
  return [...top, ...bottom];
}

const pattern = (text: string) =>
  text
    .toLowerCase()
    .replace(/\d+/g, '#')
    .replace(/^[ivxlc]+$/, '#')
    .replace(/\s+/g, ' ');

/** OCR reads a header differently from page to page: groups of similar text become one. */
function mergeSimilar(groups: Candidate[][]): Candidate[][] {
  const merged: Candidate[][] = [];
  for (const group of groups) {
    const text = pattern(group[0]?.text ?? '');
    const alike =
      group[0]?.page.source === 'ocr' && text.length > 8
        ? merged.find(
            (other) => other[0]?.band === group[0]?.band && similar(pattern(other[0]?.text ?? ''), text),
          )
        : undefined;
    if (alike) alike.push(...group);
    else merged.push([...group]);
  }
  return merged;
}

/** Most pairs of neighbouring letters are the same. */
function similar(a: string, b: string): boolean {
  const pairs = (text: string) =>
    new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
  const [first, second] = [pairs(a), pairs(b)];
  const common = [...first].filter((pair) => second.has(pair)).length;
  return (2 * common) / (first.size + second.size) > 0.75;
}

/** Numbered headings at the top of each page differ only by number, too, but they are larger than the text. */
function isRepeated(one: Candidate, group: Candidate[], enough: number, bodySize: number): boolean {
  const level = group.filter((other) => Math.abs(other.offset - one.offset) < 10);
  const pagesWith = new Set(level.map((other) => other.page.number)).size;
  if (pagesWith < enough) return false;
  if (one.line.size <= bodySize * 1.12) return true;
  return pagesWith > 2 && level.every((other) => other.text === one.text);
}

/** A page number on its own, at the edge of the page, needs no repetition. */
function loneNumbers(page: PageContent, candidates: Candidate[], found: Map<TextLine, RunningKind>): void {
  const own = candidates.filter((one) => one.page === page && !found.has(one.line));
  const lowest = own.filter((one) => one.band === 'Footer').at(-1);
  const highest = own.find((one) => one.band === 'Header');
  for (const one of own) {
    const outermost = one.band === 'Footer' ? lowest : highest;
    const level = outermost && Math.abs(outermost.line.baseline - one.line.baseline) < 0.5 * one.line.size;
    if (level && one.block.lines.length === 1 && isPageNumber(one.text)) found.set(one.line, 'PageNumber');
  }
}

/** A short line in small print between the edge of the page and its margin needs no repetition either. */
function loneLines(
  page: PageContent,
  candidates: Candidate[],
  found: Map<TextLine, RunningKind>,
  bodySize: number,
): void {
  const boxes = page.blocks.flatMap((block) =>
    block.type === 'text' ? block.lines.filter((line) => !found.has(line)) : [{ box: block.box }],
  );
  for (const { block, line, band: place, text, offset } of candidates.filter((one) => one.page === page)) {
    if (found.has(line) || block.lines.length > 1 || block.marker !== undefined) continue;
    if (offset > edge * page.height || line.size > 0.93 * bodySize) continue;
    if (text.split(/\s+/).length > 12 || /^[\d*†]|[.,;:]$/.test(text)) continue;
    const others = boxes.filter((other) => other !== line && other.box !== line.box);
    const isOutermost = others.every((other) =>
      place === 'Header'
        ? other.box.top > line.box.bottom + 1.2 * line.size
        : other.box.bottom < line.box.top - 1.2 * line.size,
    );
    if (isOutermost && others.length > 0) found.set(line, place);
  }
}

/** The font size in which most of a document is set. */
export function bodySizeOf(pages: PageContent[]): number {
  const letters = new Map<number, number>();
  for (const { blocks } of pages)
    for (const block of blocks)
      if (block.type === 'text')
        for (const line of block.lines) {
          const size = Math.round(line.size * 2) / 2;
          const count = line.runs.reduce((sum, run) => sum + run.text.length, 0);
          // Headings are judged beside prose, which is larger than code.
          letters.set(size, (letters.get(size) ?? 0) + (line.mono ? count / 4 : count));
        }
  return [...letters].reduce((best, one) => (one[1] > best[1] ? one : best), [10, 0])[0];
}
