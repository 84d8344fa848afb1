import { expect, test } from 'vitest';
import { toRow } from '../rows.ts';
import { joinSpacedLetters } from './letter-spacing.ts';

const style = { size: 10, bold: false, italic: false, mono: false, font: '' };
const word = (text: string, left: number, right: number) => ({
  text,
  box: { left, right, top: 0, bottom: 12 },
  baseline: 10,
  style,
});

test('letters with equal gaps become words, wider gaps stay', () => {
  const letters = [...'ГЛАВА'].map((letter, index) => word(letter, index * 10, index * 10 + 6));
  const more = [...'ПЕРВАЯ'].map((letter, index) => word(letter, 62 + index * 10, 68 + index * 10));
  const row = joinSpacedLetters(toRow([...letters, ...more, word('из', 140, 150)]));
  expect(row.words.map((one) => one.text)).toEqual(['ГЛАВА', 'ПЕРВАЯ', 'из']);
});

test('a few single letters are initials', () => {
  const row = toRow([word('А.', 0, 8), word('С.', 11, 19), word('Пушкин', 22, 60)]);
  expect(joinSpacedLetters(row)).toBe(row);
});
