import type { Box } from '../element.ts';
import { union } from '../layout/geometry.ts';
import type { Picture } from '../pictures/picture.ts';
import { foreignWords, withOwnWords } from './repairs/foreign-words.ts';
import { stackLines, toPgm, unstack } from './stack-lines.ts';
import type { OcrWord, Tesseract } from './tesseract.ts';

export type ReadLine = OcrWord[];

export interface BoxReading {
  tesseract: Tesseract;
  grey: Picture;
  languages: string[];
  signal?: AbortSignal | undefined;
}

/** Words less sure than this are specks and lines that were taken for letters. */
export const leastConfidence = 12;
/** Ink without words at the ends of a line, in heights of the line, and what the detector adds to its ends. */
const [mostMissing, margin] = [1.5, 0.7];
/** Lines that are read one by one; a page with more is none that OCR can read. */
const mostAlone = 8;

/**
 * Reads boxes of text, with a line in the answer for each. Tesseract sometimes loses words of a line, or all of it, to
 * the lines above and below: such lines are read again without those that came out well, and then alone.
 */
export async function readBoxes(reading: BoxReading, boxes: Box[]): Promise<ReadLine[]> {
  const lines = await readStacked(reading, boxes);
  const indexes = () =>
    boxes.flatMap((box, index) => (isIncomplete(box, lines[index] as ReadLine) ? [index] : []));
  const readAgain = async (again: number[]) => {
    const read = await readStacked(
      reading,
      again.map((index) => boxes[index] as Box),
    );
    again.forEach((index, at) => {
      const line = read[at] as ReadLine;
      if (lengthOf(line) > lengthOf(lines[index] as ReadLine)) lines[index] = line;
    });
  };
  const incomplete = indexes();
  if (incomplete.length > 0 && incomplete.length < boxes.length) await readAgain(incomplete);
  const rest = incomplete.length > 0 ? indexes() : [];
  if (rest.length <= mostAlone) for (const index of rest) await readAgain([index]);
  return reading.languages.length === 1 ? lines : withoutForeignWords(reading, boxes, lines);
}

/** Lines of one language are read again together, since each call of Tesseract loads the language first. */
async function withoutForeignWords(
  reading: BoxReading,
  boxes: Box[],
  lines: ReadLine[],
): Promise<ReadLine[]> {
  const result = [...lines];
  const found = lines.flatMap((line, index) => {
    const foreign = foreignWords(line);
    return foreign ? [{ index, line, foreign }] : [];
  });
  if (found.length === 0) return lines;
  const installed = await reading.tesseract.languages();
  for (const [language, own] of Map.groupBy(found, ({ foreign }) => foreign.language)) {
    if (!installed.has(language)) continue;
    const again = await readStacked(
      { ...reading, languages: [language] },
      own.map(({ index }) => boxes[index] as Box),
    );
    own.forEach(({ index, line, foreign }, at) => {
      result[index] = withOwnWords(line, foreign.words, again[at] as ReadLine);
    });
  }
  return result;
}

const lengthOf = (line: ReadLine): number => {
  if (line.length === 0) return 0;
  const { left, right } = union(line.map((word) => word.box));
  return right - left;
};

function isIncomplete({ left, right, top, bottom }: Box, line: ReadLine): boolean {
  const height = bottom - top;
  return right - left - margin * height - lengthOf(line) > mostMissing * height;
}

async function readStacked(
  { tesseract, grey, languages, signal }: BoxReading,
  boxes: Box[],
): Promise<ReadLine[]> {
  const read: ReadLine[] = [];
  for (const stack of await stackLines(grey, boxes)) {
    const picture = toPgm(stack.picture);
    const words = await tesseract.read({ picture, languages, dotsPerInch: 300, mode: 6, signal });
    const own: ReadLine[] = stack.lines.map(() => []);
    for (const word of words) {
      const place = unstack(stack, word.box);
      if (place && word.confidence >= leastConfidence) own[place.line]?.push({ ...word, box: place.box });
    }
    read.push(...own);
  }
  return read;
}
