import { expect, it } from 'vitest';
import type { Box } from '../../element.ts';
import { withoutLetterStrokes } from './letter-strokes.ts';

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });

it('keeps the rules of tables, and leaves large letters alone', () => {
  const line = box(100, 100, 700, 180);
  const stem = box(200, 110, 208, 170);
  const bar = box(200, 110, 260, 118);
  const underline = box(100, 170, 700, 174);
  const border = box(400, 60, 403, 220);
  const rules = [stem, bar, underline, border];
  expect(withoutLetterStrokes(rules, [line], 200)).toEqual([underline, border]);
});

it('without lines, keeps upright rules that are long or meet others', () => {
  const stem = box(200, 110, 208, 170);
  const frame = [box(300, 300, 600, 303), box(300, 300, 303, 360)];
  const long = box(700, 100, 703, 400);
  expect(withoutLetterStrokes([stem, ...frame, long], undefined, 200)).toEqual([...frame, long]);
});
