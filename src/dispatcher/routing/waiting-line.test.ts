import { describe, expect, it } from 'vitest';
import { WaitingLine } from './waiting-line.ts';

function next<T>(queue: WaitingLine<T>): T | undefined {
  const [first] = queue.inTurn();
  if (first) queue.take(first);
  return first?.item;
}

describe('fair queue', () => {
  it('lets keys take turns, each in its own order', () => {
    const queue = new WaitingLine<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item[0] as string, item);
    const inTurn = Array.from(queue.inTurn(), ({ item }) => item);
    expect(inTurn).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(Array.from({ length: 6 }, () => next(queue))).toEqual(inTurn);
    expect(next(queue)).toBeUndefined();
  });

  it('removes an item once', () => {
    const queue = new WaitingLine<number>();
    const first = queue.push('a', 1);
    queue.push('a', 2);
    queue.remove(first);
    queue.remove(first);
    expect(queue.size).toBe(1);
    expect(next(queue)).toBe(2);
  });
});
