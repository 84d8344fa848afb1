import type { Box } from '../element.ts';
import { median, times, union } from '../layout/geometry.ts';
import type { Word } from '../layout/page-content.ts';
import { eraseRules } from '../pictures/erase-rules.ts';
import { findRules } from '../pictures/find-rules.ts';
import { type Picture, toGrey } from '../pictures/picture.ts';
import type { DetectedLine } from '../vision/find-lines.ts';
import type { Vision } from '../vision/open-vision.ts';
import { joinPieces } from './lines/join-pieces.ts';
import { withoutLetterStrokes } from './lines/letter-strokes.ts';
import { type MarkedLine, withMarkers } from './lines/line-markers.ts';
import { measureLine } from './lines/line-size.ts';
import { strokeWidth } from './lines/stroke-width.ts';
import { leastConfidence, type ReadLine, readBoxes } from './read-boxes.ts';
import { bulletFirst, repairLetterMarkers } from './repairs/bullet-signs.ts';
import { repairLookAlikes } from './repairs/look-alikes.ts';
import { toPgm } from './stack-lines.ts';
import { straighten } from './straighten.ts';
import type { Tesseract } from './tesseract.ts';
import { withNumbers } from './with-numbers.ts';

export interface ScanTools {
  tesseract: Tesseract;
  vision?: Vision | undefined;
}

export interface ScanOptions {
  languages: string[];
  dotsPerInch: number;
  signal?: AbortSignal | undefined;
}

/** What was read from a picture, upright, in points. */
export interface Scan {
  width: number;
  height: number;
  words: Word[];
  rules: Box[];
  /** The picture as it was read, turned upright. */
  picture: Picture;
  /** Degrees by which it was turned clockwise. */
  turned: number;
  /** Points per pixel. */
  scale: number;
}

/** Measured sizes of lines in one font differ by as much. */
const sizeNoise = 0.15;

/** Reads a picture of a page: turns it upright, finds the lines of text, and has Tesseract read them. */
export async function readScan(tools: ScanTools, picture: Picture, options: ScanOptions): Promise<Scan> {
  const { vision } = tools;
  const upright = vision
    ? await straighten(vision, picture, options.signal)
    : { picture, turned: 0, lines: undefined };
  const page = await toGrey(upright.picture);
  const rules = withoutLetterStrokes(
    findRules(page, options.dotsPerInch),
    upright.lines?.map((line) => line.box),
    options.dotsPerInch,
  );
  const grey = eraseRules(page, rules);
  const scale = 72 / options.dotsPerInch;
  const lines = upright.lines
    ? await readLines(tools.tesseract, { grey, rules }, upright.lines, options)
    : await readPage(tools.tesseract, grey, options);
  return {
    width: grey.width * scale,
    height: grey.height * scale,
    words: withLook(lines, grey).map((word) => scaled(word, scale)),
    rules: rules.map((box) => times(box, scale)),
    picture: upright.picture,
    turned: upright.turned,
    scale,
  };
}

async function readLines(
  tesseract: Tesseract,
  { grey, rules }: { grey: Picture; rules: Box[] },
  detected: DetectedLine[],
  options: ScanOptions,
): Promise<ReadLine[]> {
  const boxes = joinPieces(
    detected.map((line) => line.box),
    rules,
  );
  const marked = withMarkers(grey, boxes).toSorted((a, b) => a.box.top - b.box.top);
  const own = marked.map((line) => line.box);
  const read = await readBoxes({ tesseract, grey, ...options }, own);
  const lines = read.map((line, index) => addMarker(line, marked[index]));
  const all = await withNumbers({ tesseract, grey, ...options }, own, lines);
  return all.filter((line) => line.length > 0);
}

function addMarker(line: ReadLine, marked: MarkedLine | undefined): ReadLine {
  if (!marked?.marker || line.length === 0) return line;
  return [{ ...marked.marker, confidence: 100, line: '' }, ...line];
}

async function readPage(tesseract: Tesseract, grey: Picture, options: ScanOptions): Promise<ReadLine[]> {
  const words = await tesseract.read({ ...options, picture: toPgm(grey), mode: 3 });
  const lines = Map.groupBy(
    words.filter((word) => word.confidence >= leastConfidence),
    (word) => word.line,
  );
  return [...lines.values()];
}

/** Gives the words of each line one size, weight and baseline. */
function withLook(lines: ReadLine[], grey: Picture): Word[] {
  const measured = lines.map((words) => {
    const letters = words.filter((word) => !/^[•–]$/.test(word.text));
    const box = union((letters.length > 0 ? letters : words).map((word) => word.box));
    const { size, baseline } = measureLine(grey, box, words.map((word) => word.text).join(''));
    return { words, size, baseline, stroke: median(words.map((word) => strokeWidth(grey, word.box))) / size };
  });
  const usual = median(measured.flatMap(({ words, stroke }) => words.map(() => stroke)));
  const body = median(measured.flatMap(({ words, size }) => words.map(() => size)));
  const read = measured.map(({ words, size: seen, baseline, stroke }, line) => {
    const size = Math.abs(seen - body) < sizeNoise * body ? body : seen;
    const style = { size, bold: stroke > 1.35 * usual, italic: false, mono: false, font: '' };
    const texts = repairLookAlikes(words.map((word) => word.text));
    const own = words.map(({ box }, index) => ({ text: texts[index] as string, box, baseline, style, line }));
    return bulletFirst(own);
  });
  return repairLetterMarkers(read).flat();
}

function scaled(word: Word, scale: number): Word {
  return {
    ...word,
    box: times(word.box, scale),
    baseline: word.baseline * scale,
    style: { ...word.style, size: Math.round(word.style.size * scale * 10) / 10 },
  };
}
