import { describe, expect, it } from 'vitest';
import { chooseSequence, type SequenceView } from './choose-sequence.ts';

const sequence = (name: string, tokens: number[], more: Partial<SequenceView> = {}) => ({
  name,
  busy: false,
  tokens,
  expected: [],
  lastUsed: 0,
  ...more,
});
const counted = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

describe('the sequence for a prompt', () => {
  it('is the free one with the longest shared prefix', () => {
    const sequences = [sequence('a', [1, 2, 9]), sequence('b', [1, 2, 3, 4]), sequence('c', [])];
    expect(chooseSequence(sequences, [1, 2, 3, 4, 5])?.sequence.name).toBe('b');
  });

  it('is an empty one, or else the least recently used, if none shares a prefix', () => {
    const used = [sequence('a', [7], { lastUsed: 5 }), sequence('b', [8], { lastUsed: 3 })];
    expect(chooseSequence(used, [1])?.sequence.name).toBe('b');
    expect(chooseSequence([...used, sequence('c', [], { lastUsed: 9 })], [1])?.sequence.name).toBe('c');
  });

  it('is the one of the less recently used half that leaves the fewest gaps between busy ones', () => {
    const busy = { busy: true };
    const sequences = [
      sequence('a', [1], busy),
      sequence('b', [2], { lastUsed: 4 }),
      sequence('c', [3], busy),
      sequence('d', [4], { lastUsed: 2 }),
      sequence('e', [5], { lastUsed: 3 }),
      sequence('f', [6], { lastUsed: 1 }),
    ];
    expect(chooseSequence(sequences, [9])?.sequence.name).toBe('d');
    const later = sequences.map((one) => (one.name === 'b' ? { ...one, lastUsed: 0 } : one));
    expect(chooseSequence(later, [9])?.sequence.name).toBe('b');
  });

  it('is the first of an empty pool, and then the next', () => {
    const pool = ['a', 'b', 'c', 'd'].map((name) => sequence(name, []));
    for (const expected of pool) {
      const chosen = chooseSequence(pool, [1])?.sequence;
      expect(chosen).toBe(expected);
      if (chosen) chosen.busy = true;
    }
  });

  it('is none while all are busy', () => {
    expect(chooseSequence([sequence('a', [1], { busy: true })], [1])).toBeUndefined();
  });

  it('copies a prefix that a busy one contains or is evaluating', () => {
    const prompt = counted(100);
    const holding = [sequence('a', counted(80), { busy: true }), sequence('b', [])];
    expect(chooseSequence(holding, prompt)).toMatchObject({
      sequence: { name: 'b' },
      copyFrom: { name: 'a' },
    });
    const evaluating = [sequence('a', [], { busy: true, expected: prompt }), sequence('b', [])];
    expect(chooseSequence(evaluating, prompt)).toMatchObject({
      sequence: { name: 'b' },
      copyFrom: { name: 'a' },
    });
  });

  it('does not overwrite a long conversation for a short shared prefix', () => {
    const conversation = sequence('a', [...counted(50), ...counted(500, 1000)], { lastUsed: 2 });
    const sequences = [conversation, sequence('b', counted(10, 5000), { lastUsed: 1 })];
    expect(chooseSequence(sequences, [...counted(50), 1])).toMatchObject({
      sequence: { name: 'b' },
      copyFrom: { name: 'a' },
    });
    expect(chooseSequence([conversation], [...counted(50), 1])).toEqual({ sequence: conversation });
  });

  it('does not copy what can be evaluated as quickly', () => {
    const sequences = [sequence('a', counted(10), { busy: true }), sequence('b', [])];
    expect(chooseSequence(sequences, counted(20))?.copyFrom).toBeUndefined();
  });
});
