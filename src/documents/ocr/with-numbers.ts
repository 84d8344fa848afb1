import type { Box } from '../element.ts';
import { isNumberSized, loneMarks } from './lines/lone-marks.ts';
import { type BoxReading, type ReadLine, readBoxes } from './read-boxes.ts';

/** Page numbers that are read again must be as sure as this. */
const sure = 60;

/**
 * The lines of a page with its page numbers, which are read without other lines: among them, a single digit is often
 * taken for a letter. Marks that the detector left out are added if they turn out to be numbers.
 */
export async function withNumbers(reading: BoxReading, boxes: Box[], lines: ReadLine[]): Promise<ReadLine[]> {
  const doubtful = boxes.filter(
    (box, index) => isNumberSized(box, reading.grey) && !/^\d*$|.{4}/.test(textOf(lines[index])),
  );
  const again = [...doubtful, ...loneMarks(reading.grey, boxes)];
  if (again.length === 0) return lines;
  const numbers = await readBoxes(reading, again);
  const result = [...lines];
  again.forEach((box, index) => {
    const number = numbers[index] ?? [];
    if (!/^\d{1,4}$/.test(textOf(number)) || number.some((word) => word.confidence < sure)) return;
    const known = boxes.indexOf(box);
    if (known < 0) result.push(number);
    else result[known] = number;
  });
  return result;
}

const textOf = (line: ReadLine | undefined) => line?.map((word) => word.text).join('') ?? '';
