import { describe, expect, it } from 'vitest';
import { batches } from './batches.ts';

const limits = { texts: 3, characters: 10 };

async function group(texts: Iterable<string>) {
  const found: [number, string[]][] = [];
  for await (const { start, texts: together } of batches(texts, limits)) found.push([start, together]);
  return found;
}

describe('batches', () => {
  it.each([
    ['nothing', [], []],
    ['fewer than a batch', ['a', 'b'], [[0, ['a', 'b']]]],
    [
      'by count',
      ['a', 'b', 'c', 'd'],
      [
        [0, ['a', 'b', 'c']],
        [3, ['d']],
      ],
    ],
    [
      'by characters',
      ['12345', '12345', '1'],
      [
        [0, ['12345', '12345']],
        [2, ['1']],
      ],
    ],
    [
      'a long text alone',
      ['a', '12345678901', 'b'],
      [
        [0, ['a']],
        [1, ['12345678901']],
        [2, ['b']],
      ],
    ],
    [
      'empty texts too',
      ['', '', '', ''],
      [
        [0, ['', '', '']],
        [3, ['']],
      ],
    ],
  ])('%s', async (_title, texts, expected) => {
    expect(await group(texts)).toEqual(expected);
  });
});
