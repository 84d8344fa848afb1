import { expect, it } from 'vitest';
import type { Word } from './page-content.ts';
import { toRow } from './rows.ts';
import { lineText, toLine } from './text-line.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: '' };
const word = (text: string, left: number, right: number, line?: number): Word => ({
  text,
  box: { left, right, top: 0, bottom: 10 },
  baseline: 8,
  style,
  ...(line !== undefined && { line }),
});

it('keeps words that OCR has told apart, even if their boxes touch', () => {
  expect(
    lineText(toLine(toRow([word('состоит', 0, 40, 1), word('в', 40, 46, 1), word('том', 50, 70, 1)]))),
  ).toBe('состоит в том');
  expect(lineText(toLine(toRow([word('bold', 0, 40), word(',', 40, 42)])))).toBe('bold,');
});
