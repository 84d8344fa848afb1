import { describe, expect, it } from 'vitest';
import { jsonShape } from './json-shape.ts';

const none = { depth: 1_000, values: 1_000 };

describe('the shape of a JSON text', () => {
  it.each([
    ['1', 0, 1],
    ['[]', 1, 2],
    ['[1,2,3]', 1, 4],
    ['{"a":[{"b":[]}]}', 4, 5],
    ['"[[["', 0, 1],
    ['["\\"[[", "\\\\", [1]]', 2, 5],
    ['["\\\\\\"[", {"]": "}"}]', 2, 4],
    ['"unfinished [[', 0, 1],
  ])('of %s', (text, depth, values) => {
    expect(jsonShape(text, none)).toEqual({ depth, values });
  });

  it('is counted no further than is asked', () => {
    expect(jsonShape('['.repeat(10_000_000), { depth: 5, values: 100 }).depth).toBe(6);
    expect(jsonShape(`[${'1,'.repeat(10_000_000)}`, { depth: 5, values: 100 }).values).toBe(101);
  });
});
