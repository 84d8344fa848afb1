import type { Box } from '../element.ts';
import { median, times, union } from '../layout/geometry.ts';
import type { Word } from '../layout/page-content.ts';
import { eraseRules } from '../pictures/erase-rules.ts';
import { findRules } from '../pictures/find-rules.ts';
import { type Picture, rotate, toGrey } from '../pictures/picture.ts';
import { type DetectedLine, findLines, turnLine } from '../vision/find-lines.ts';
import type { Vision } from '../vision/open-vision.ts';
import { findOrientation } from '../vision/orientation.ts';
import { bulletFirst, repairLetterMarkers } from './bullet-signs.ts';
import { type MarkedLine, withMarkers } from './line-markers.ts';
import { measureLine } from './line-size.ts';
import { repairLookAlikes } from './look-alikes.ts';
import { stackLines, toPgm, unstack } from './stack-lines.ts';
import { strokeWidth } from './stroke-width.ts';
import type { OcrWord, Tesseract } from './tesseract.ts';

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

/** Words less sure than this are specks and lines that were taken for letters. */
const leastConfidence = 12;
/** Measured sizes of lines in one font differ by as much. */
const sizeNoise = 0.15;
/** Smaller slopes, in degrees, do no harm. */
const leastSkew = 0.2;
/** Up to this slope, detected lines are turned with the page, which saves detecting them again. */
const mostTurned = 4;

/** Reads a picture of a page: turns it upright, finds the lines of text, and has Tesseract read them. */
export async function readScan(tools: ScanTools, picture: Picture, options: ScanOptions): Promise<Scan> {
  const { vision } = tools;
  const upright = vision
    ? await straighten(vision, picture, options.signal)
    : { picture, turned: 0, lines: undefined };
  const page = await toGrey(upright.picture);
  const rules = findRules(page, options.dotsPerInch);
  const grey = eraseRules(page, rules);
  const scale = 72 / options.dotsPerInch;
  const lines = upright.lines
    ? await readLines(tools.tesseract, grey, upright.lines, options)
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

async function straighten(vision: Vision, picture: Picture, signal?: AbortSignal) {
  const quarter = await findOrientation(await vision.orientation(), picture);
  let degrees = quarter === 0 ? 0 : 360 - 90 * quarter;
  let turned = quarter === 0 ? picture : await rotate(picture, degrees);
  const model = await vision.lines();
  let lines = await findLines(model, turned);
  signal?.throwIfAborted();
  const skew = skewOf(lines);
  if (Math.abs(skew) > leastSkew && Math.abs(skew) < 20) {
    const straight = await rotate(turned, -skew);
    lines =
      Math.abs(skew) < mostTurned
        ? lines.map((line) => turnLine(line, -skew, turned, straight))
        : await findLines(model, straight);
    turned = straight;
    degrees -= skew;
  }
  return { picture: turned, turned: degrees, lines };
}

/** The slope of most lines, the longer ones counting more. */
function skewOf(lines: DetectedLine[]): number {
  const long = lines.filter(
    (line) => line.length > 8 * (line.box.bottom - line.box.top) || line.length > 200,
  );
  return median(
    long.flatMap((line) => Array.from({ length: Math.ceil(line.length / 100) }, () => line.slope)),
  );
}

type ReadLine = OcrWord[];

async function readLines(
  tesseract: Tesseract,
  grey: Picture,
  detected: DetectedLine[],
  options: ScanOptions,
): Promise<ReadLine[]> {
  const boxes = detected.map((line) => line.box);
  const marked = withMarkers(grey, boxes).toSorted((a, b) => a.box.top - b.box.top);
  const read: ReadLine[] = [];
  for (const stack of await stackLines(
    grey,
    marked.map((line) => line.box),
  )) {
    const words = await tesseract.read({
      picture: toPgm(stack.picture),
      languages: options.languages,
      dotsPerInch: 300,
      mode: 6,
      signal: options.signal,
    });
    const own: ReadLine[] = stack.lines.map(() => []);
    for (const word of words) {
      const place = unstack(stack, word.box);
      if (place && word.confidence >= leastConfidence) own[place.line]?.push({ ...word, box: place.box });
    }
    const markers = marked.slice(read.length);
    read.push(...own.map((line, index) => addMarker(line, markers[index])));
  }
  return read.filter((line) => line.length > 0);
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
