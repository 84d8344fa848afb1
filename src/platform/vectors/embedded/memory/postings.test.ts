import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../../test/testkit/random.ts';
import { countOf, Postings, slotOf } from './postings.ts';

const listOf = (postings: Postings, term: number) => {
  const list: [number, number][] = [];
  postings.eachSlice(term, (words, start, end) => {
    for (const posting of words.subarray(start, end)) list.push([slotOf(posting), countOf(posting)]);
  });
  return list;
};

describe('Postings', () => {
  it('keeps what a map of lists keeps, through every size of list and table', () => {
    const random = seededRandom(5);
    const postings = new Postings();
    const expected = new Map<number, [number, number][]>();
    for (let slot = 0; slot < 3_000; slot++) {
      for (let index = 0; index < 12; index++) {
        const term = Math.imul(Math.floor(20_000 ** random.share()), 0x85ebca6b) >>> 0;
        const count = 1 + random.below(300);
        postings.add(term, slot, count);
        const list = expected.get(term) ?? [];
        list.push([slot, Math.min(count, 255)]);
        expected.set(term, list);
      }
    }
    const check = (actual: Postings) => {
      const lists = [...expected.keys()].map((term) => [term, listOf(actual, term)]);
      expect(lists).toEqual([...expected]);
      for (const [term, list] of expected) if (actual.count(term) !== list.length) expect.unreachable();
    };
    check(postings);
    expect(postings.count(1)).toBe(0);
    expect(listOf(postings, 1)).toEqual([]);

    const slots = Int32Array.from({ length: 3_000 }, (_, slot) => (slot % 2 ? (slot - 1) / 2 : -1));
    for (const [term, list] of expected)
      expected.set(
        term,
        list.filter(([slot]) => slot % 2).map(([slot, count]) => [(slot - 1) / 2, count]),
      );
    check(postings.renumbered(slots));
  });

  it('takes the terms 0 and 4294967295, and the highest slot', () => {
    const postings = new Postings();
    postings.add(0, 2 ** 24 - 1, 1);
    postings.add(2 ** 32 - 1, 0, 65_535);
    expect(listOf(postings, 0)).toEqual([[2 ** 24 - 1, 1]]);
    expect(listOf(postings, 2 ** 32 - 1)).toEqual([[0, 255]]);
  });
});
