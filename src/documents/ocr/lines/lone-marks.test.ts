import { expect, it } from 'vitest';
import type { Box } from '../../element.ts';
import type { Picture } from '../../pictures/picture.ts';
import { joinPieces } from './join-pieces.ts';
import { withMarkers } from './line-markers.ts';
import { isNumberSized, loneMarks } from './lone-marks.ts';

const [width, height] = [800, 1_000];
const box = (left: number, top: number, across: number, down: number): Box => ({
  left,
  top,
  right: left + across,
  bottom: top + down,
});

/** White paper with dark boxes. */
function page(boxes: Box[], ink = 20): Picture {
  const pixels = new Uint8Array(width * height).fill(240);
  for (const { left, right, top, bottom } of boxes)
    for (let y = top; y < bottom; y += 1) pixels.fill(ink, y * width + left, y * width + right);
  return { width, height, channels: 1, pixels };
}

const text = [box(100, 300, 600, 40), box(100, 350, 600, 40)];

it('finds a digit that stands alone at an edge of the page', () => {
  expect(loneMarks(page([...text, box(700, 950, 10, 20)]), text)).toEqual([
    { left: 690, right: 720, top: 940, bottom: 980 },
  ]);
  const twoDigits = [box(700, 40, 10, 20), box(714, 40, 12, 20)];
  expect(loneMarks(page([...text, ...twoDigits]), text)).toHaveLength(1);
});

it('takes no specks, rules, pictures or letters beside a line for digits', () => {
  const marks = [box(700, 950, 3, 3), box(100, 940, 600, 2), box(300, 900, 90, 90)];
  expect(loneMarks(page([...text, ...marks]), text)).toEqual([]);
  const footer = box(500, 940, 190, 40);
  expect(loneMarks(page([...text, box(700, 950, 10, 20)]), [...text, footer])).toEqual([]);
  const row = [0, 1, 2].map((index) => box(100 + 200 * index, 950, 10, 20));
  expect(loneMarks(page([...text, ...row]), text)).toEqual([]);
  expect(loneMarks(page([]), [])).toEqual([]);
});

it('knows which detected lines may be page numbers', () => {
  const paper = page([]);
  expect(isNumberSized(box(700, 950, 30, 40), paper)).toBe(true);
  expect(isNumberSized(box(500, 950, 200, 40), paper)).toBe(false);
  expect(isNumberSized(box(700, 500, 30, 40), paper)).toBe(false);
});

it('joins pieces of a line, but not columns or cells', () => {
  const [one, two] = [box(100, 300, 200, 40), box(310, 302, 150, 38)];
  expect(joinPieces([two, one], [])).toEqual([{ left: 100, right: 460, top: 300, bottom: 340 }]);
  expect(joinPieces([one, two], [box(304, 200, 2, 300)])).toHaveLength(2);
  expect(joinPieces([one, box(330, 300, 150, 40)], [])).toHaveLength(2);
  expect(joinPieces([one, box(310, 330, 150, 40)], [])).toHaveLength(2);
});

it('finds thin circles and filled squares before list items', () => {
  const letters = Array.from({ length: 20 }, (_, index) => box(160 + 20 * index, 310, 12, 20));
  const line = box(150, 300, 420, 40);
  const circle = page(letters);
  for (const side of [box(120, 315, 10, 2), box(120, 323, 10, 2), box(120, 315, 2, 10), box(128, 315, 2, 10)])
    for (let y = side.top; y < side.bottom; y += 1)
      circle.pixels.fill(140, y * width + side.left, y * width + side.right);
  expect(withMarkers(circle, [line])[0]?.marker?.text).toBe('•');
  const square = page([...letters, box(120, 312, 18, 18)]);
  expect(withMarkers(square, [line])[0]?.marker?.text).toBe('•');
});
