import { expect, test } from 'vitest';
import { numbersBeside } from './page-number.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: 'Serif' };

/** Words of a line, each with its left edge. */
const line = (top: number, ...words: [text: string, left: number][]) =>
  words.map(([text, left]) => ({
    text,
    box: { left, right: left + 5 * text.length, top, bottom: top + 12 },
    baseline: top + 10,
    style,
  }));

const found = (...words: ReturnType<typeof line>[]) =>
  numbersBeside(words.flat(), 800).map(({ row, atTop }) => [
    row.words.map((word) => word.text).join(' '),
    atTop,
  ]);

test('a number on the line of a header or footer', () => {
  const body = line(400, ['Text', 50]);
  expect(found(line(30, ['12', 50], ['Annual', 450], ['report', 485]), body)).toEqual([['12', true]]);
  expect(found(body, line(760, ['For', 50], ['us', 70], ['1', 540]))).toEqual([['1', false]]);
});

test('no number in the last row of a table or in a sentence', () => {
  expect(found(line(745, ['Oats', 50], ['7', 540]), line(760, ['Total', 50], ['12', 540]))).toEqual([]);
  expect(found(line(400, ['Text', 50]), line(760, ['since', 50], ['12', 78]))).toEqual([]);
});
