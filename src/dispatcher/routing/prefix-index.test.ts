import { describe, expect, it } from 'vitest';
import { emptyPrefixBlocks, hashPrefix, seedOf } from './prefix-blocks.ts';
import { PrefixIndex } from './prefix-index.ts';

function blocksOf(text: string, model = 'm') {
  const blocks = emptyPrefixBlocks();
  hashPrefix(Buffer.from(text), 0, seedOf(model), blocks);
  return blocks;
}

function depths(index: PrefixIndex, text: string, model = 'm') {
  const found = new Map<number, number>();
  index.match(blocksOf(text, model), found);
  return found;
}

const conversation = 'a long story about trains. '.repeat(40);

describe('prefix index', () => {
  it('finds the pod that received the prefix, and the length of the match', () => {
    const index = PrefixIndex.withRoomFor(1024);
    index.remember(blocksOf(conversation), 7);
    const next = conversation + 'and then it rained. '.repeat(40);
    expect(depths(index, next).get(7)).toBe(Math.floor(conversation.length / 128));
  });

  it('does not match another prefix, or the same prefix for another model', () => {
    const index = PrefixIndex.withRoomFor(1024);
    index.remember(blocksOf(conversation), 7);
    expect(depths(index, `x${conversation}`).size).toBe(0);
    expect(depths(index, conversation, 'other').size).toBe(0);
  });

  it('distinguishes the pod with the longest match from those with shorter ones', () => {
    const index = PrefixIndex.withRoomFor(1024);
    const shared = 'You are a helpful assistant. '.repeat(20);
    for (let cacheId = 1; cacheId <= 6; cacheId++) {
      index.remember(blocksOf(shared + `user ${cacheId} asks. `.repeat(60)), cacheId);
    }
    const found = depths(index, shared + 'user 2 asks. '.repeat(90));
    const [best] = [...found].sort((a, b) => b[1] - a[1]);
    expect(best?.[0]).toBe(2);
  });

  it('has a fixed size and evicts the least recently used entries', () => {
    const index = PrefixIndex.withRoomFor(256);
    const before = index.buffer.byteLength;
    for (let n = 0; n < 2000; n++) index.remember(blocksOf(`${n} `.repeat(300)), 1 + (n % 5));
    expect(index.buffer.byteLength).toBe(before);
    expect(depths(index, '3 '.repeat(300)).size).toBe(0);
    expect(depths(index, '1999 '.repeat(300)).size).toBeGreaterThan(0);
  });
});
