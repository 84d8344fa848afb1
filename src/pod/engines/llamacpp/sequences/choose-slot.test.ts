import { describe, expect, it } from 'vitest';
import { chooseSlot, type SlotView } from './choose-slot.ts';

const slot = (name: string, tokens: number[], more: Partial<SlotView> = {}) => ({
  name,
  busy: false,
  tokens,
  expected: [],
  lastUsed: 0,
  ...more,
});
const counted = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

describe('the sequence for a prompt', () => {
  it('is the free one that shares the longest beginning', () => {
    const slots = [slot('a', [1, 2, 9]), slot('b', [1, 2, 3, 4]), slot('c', [])];
    expect(chooseSlot(slots, [1, 2, 3, 4, 5])?.slot.name).toBe('b');
  });

  it('is an empty one, else the one longest unused, where none shares anything', () => {
    const used = [slot('a', [7], { lastUsed: 5 }), slot('b', [8], { lastUsed: 3 })];
    expect(chooseSlot(used, [1])?.slot.name).toBe('b');
    expect(chooseSlot([...used, slot('c', [], { lastUsed: 9 })], [1])?.slot.name).toBe('c');
  });

  it('is none while all are busy', () => {
    expect(chooseSlot([slot('a', [1], { busy: true })], [1])).toBeUndefined();
  });

  it('copies a beginning that a busy one holds or is about to hold', () => {
    const prompt = counted(100);
    const holding = [slot('a', counted(80), { busy: true }), slot('b', [])];
    expect(chooseSlot(holding, prompt)).toMatchObject({ slot: { name: 'b' }, copyFrom: { name: 'a' } });
    const evaluating = [slot('a', [], { busy: true, expected: prompt }), slot('b', [])];
    expect(chooseSlot(evaluating, prompt)).toMatchObject({ slot: { name: 'b' }, copyFrom: { name: 'a' } });
  });

  it('does not overwrite a long conversation for a short common beginning', () => {
    const conversation = slot('a', [...counted(50), ...counted(500, 1000)], { lastUsed: 2 });
    const slots = [conversation, slot('b', counted(10, 5000), { lastUsed: 1 })];
    expect(chooseSlot(slots, [...counted(50), 1])).toMatchObject({
      slot: { name: 'b' },
      copyFrom: { name: 'a' },
    });
    expect(chooseSlot([conversation], [...counted(50), 1])).toEqual({ slot: conversation });
  });

  it('does not copy what is as quickly evaluated', () => {
    const slots = [slot('a', counted(10), { busy: true }), slot('b', [])];
    expect(chooseSlot(slots, counted(20))?.copyFrom).toBeUndefined();
  });
});
