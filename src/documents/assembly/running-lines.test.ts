import { expect, test } from 'vitest';
import type { PageContent, TextBlock } from '../layout/page-content.ts';
import { lineText } from '../layout/text-line.ts';
import { runningLines } from './running-lines.ts';

function block(text: string, top: number, size = 10): TextBlock {
  const box = { left: 50, right: 550, top, bottom: top + size * 1.2 };
  const look = { size, bold: false, italic: false, mono: false, font: '' };
  return {
    type: 'text',
    box,
    columnRight: 550,
    lines: [{ box, baseline: top + size, ...look, runs: [{ text }] }],
  };
}

const page = (number: number, ...blocks: TextBlock[]): PageContent => ({
  number,
  width: 600,
  height: 800,
  source: 'text',
  blocks,
});

function kinds(pages: PageContent[]) {
  return [...runningLines(pages, 10)].map(([line, kind]) => [kind, lineText(line)]);
}

test('lines that return on other pages, whatever their numbers', () => {
  const pages = [1, 2, 3].map((number) =>
    page(
      number,
      block('Annual report', 30),
      block(`Text ${'abc'.charAt(number - 1)} of the page`, 75),
      block(`Page ${number} of 3`, 760),
    ),
  );
  expect(kinds(pages)).toEqual([
    ...[1, 2, 3].map(() => ['Header', 'Annual report']),
    ...[1, 2, 3].map((number) => ['PageNumber', `Page ${number} of 3`]),
  ]);
});

test('numbered headings at the top of each page are headings', () => {
  const pages = [1, 2, 3].map((number) =>
    page(number, block(`Section ${number}`, 60, 16), block('Text', 300)),
  );
  expect(kinds(pages)).toEqual([]);
});

test('a number alone at the edge of a single page', () => {
  expect(kinds([page(1, block('Text', 300), block('– 7 –', 770))])).toEqual([['PageNumber', '– 7 –']]);
  expect(kinds([page(1, block('Text', 300), block('1945', 400))])).toEqual([]);
});

test('small print at the edge of a single page', () => {
  expect(
    kinds([page(1, block('Hillside Trust', 25, 7), block('Text', 90), block('For us only', 775, 7))]),
  ).toEqual([
    ['Header', 'Hillside Trust'],
    ['Footer', 'For us only'],
  ]);
  expect(kinds([page(1, block('Text', 90), block('1 The mast was out of order.', 775, 7))])).toEqual([]);
  expect(kinds([page(1, block('Text', 770), block('see above', 782, 7))])).toEqual([]);
});
