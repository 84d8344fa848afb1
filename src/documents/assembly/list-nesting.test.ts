import { expect, test } from 'vitest';
import { ListNesting } from './list-nesting.ts';

function depths(items: [marker: string, left: number, column?: number][]): number[] {
  const nesting = new ListNesting();
  return items.map(([marker, left, column = 0]) => nesting.depthOf({ marker, left, column }));
}

test('by indentation', () => {
  expect(
    depths([
      ['•', 50],
      ['◦', 70],
      ['◦', 70],
      ['▪', 90],
      ['•', 50],
    ]),
  ).toEqual([0, 1, 1, 2, 0]);
});

test('numbers that are aligned at their right', () => {
  expect(
    depths([
      ['9.', 55],
      ['10.', 50],
      ['a)', 75],
      ['11.', 50],
    ]),
  ).toEqual([0, 0, 1, 0]);
});

test('in the next column the markers tell', () => {
  expect(
    depths([
      ['1.', 50],
      ['a)', 70],
      ['b)', 330, 1],
      ['2.', 310, 1],
    ]),
  ).toEqual([0, 1, 1, 0]);
});

test('bullets keep their depth on the next page', () => {
  expect(
    depths([
      ['•', 50],
      ['◦', 70],
      ['•', 50],
      ['◦', 70, 1],
      ['▪', 90, 1],
      ['◦', 70, 1],
      ['•', 50, 1],
    ]),
  ).toEqual([0, 1, 0, 1, 2, 1, 0]);
});
