import { describe, expect, test } from 'vitest';
import { circlesIn, resolveAliases, withAliases } from './aliases.ts';

describe('aliases', () => {
  test('lead to the served name, through other aliases', () => {
    const aliases = resolveAliases({ small: 'mini', mini: 'smollm2', constructor: 'smollm2' });
    expect([...aliases]).toEqual([
      ['small', 'smollm2'],
      ['mini', 'smollm2'],
      ['constructor', 'smollm2'],
    ]);
    expect(circlesIn({ small: 'mini', mini: 'smollm2' })).toEqual([]);
  });

  test.each([
    ['itself', { a: 'a' }, ['a → a']],
    ['each other', { a: 'b', b: 'a' }, ['a → b → a', 'b → a → b']],
    ['a circle of others', { x: 'a', a: 'b', b: 'a' }, ['a → b → a', 'b → a → b']],
  ])('that name %s', (_, written, circles) => {
    expect(circlesIn(written)).toEqual(circles);
  });

  test('follow a replaced model to its successor', () => {
    const names = withAliases(new Map([['old', 'new']]), new Map([['mini', 'old']]));
    expect([...names]).toEqual([
      ['old', 'new'],
      ['mini', 'new'],
    ]);
  });
});
