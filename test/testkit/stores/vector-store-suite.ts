import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadRequest, Conflict, NotFound } from '../../../src/contracts/problems.ts';
import type { Hit, Point, PointQuery, VectorStore } from '../../../src/platform/vectors/vector-store.ts';
import { seededRandom } from '../random.ts';
import { averageLength, dot, plainBm25, randomTerms, randomVector, terms } from './vectors.ts';

const DIMENSIONS = 24;

interface SuiteOptions {
  open(): Promise<VectorStore>;
  /** The average length that BM25 uses, if it isn't that of the points. */
  assumedLength?: number;
}

/** Tests that every vector store must pass. */
export function describeVectorStore(name: string, { open, assumedLength }: SuiteOptions): void {
  describe(name, () => {
    let store: VectorStore;
    let collection = '';
    let number = 0;
    const random = seededRandom(7);
    const vector = () => randomVector(random, DIMENSIONS);
    const point = (id: number, group: number, more: Partial<Point> = {}): Point => ({
      id,
      group,
      vector: vector(),
      terms: randomTerms(random, 400, 30),
      ...more,
    });
    const search = (query: Partial<PointQuery>, name = collection) =>
      store.search(name, { terms: new Uint32Array(), limit: 10, ...query });
    const idsOf = (hits: readonly Hit[]) => hits.map(({ id }) => id).sort((one, other) => one - other);
    const groupsOf = (hits: readonly Hit[]) => [...new Set(hits.map(({ group }) => group))].sort();
    const expectedLength = (points: readonly Point[]) => assumedLength ?? averageLength(points);

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store?.close());
    beforeEach(() => {
      collection = `suite-${process.pid}.${number++}`;
      return async () => store.drop(collection);
    });

    it('finds what comparing with every point finds, with the same scores', async () => {
      await store.ensure(collection, { dimensions: DIMENSIONS });
      const points = Array.from({ length: 700 }, (_, id) =>
        point(id + 1, id % 9, {
          sentences: id % 3 === 0 ? Array.from({ length: 1 + (id % 4) }, vector) : undefined,
          vector: id % 50 === 49 ? null : vector(),
        }),
      );
      for (let first = 0; first < points.length; first += 150)
        await store.upsert(collection, points.slice(first, first + 150));
      const limit = 12;
      for (let round = 0; round < 12; round++) {
        const query = { vector: vector(), terms: randomTerms(random, 400, 6).terms, limit };
        const hits = new Map((await search(query)).map((hit) => [hit.id, hit]));
        const lexical = plainBm25(points, query.terms, expectedLength(points));
        const dense = new Map(
          points.flatMap(({ id, vector }) => (vector ? [[id, dot(vector, query.vector)]] : [])),
        );
        for (const scores of [lexical, dense]) {
          const best = [...scores].filter(([, score]) => score !== 0);
          best.sort(([, one], [, other]) => other - one);
          const last = best[limit - 1]?.[1] ?? 0;
          for (const [id, score] of best.slice(0, limit))
            if (score > last + 1e-5) expect([...hits.keys()]).toContain(id);
        }
        expect(hits.size).toBeGreaterThanOrEqual(limit);
        for (const { id, group, ...scores } of hits.values()) {
          const { sentences, vector, group: expected } = points[id - 1] as Point;
          expect(group).toBe(expected);
          expect(scores.lexical).toBeCloseTo(lexical.get(id) ?? 0, 3);
          if (vector) expect(scores.dense).toBeCloseTo(dense.get(id) ?? 0, 4);
          else expect(scores.dense).toBeNull();
          if (!vector || !sentences) expect(scores.sentence).toBeNull();
          else {
            const best = Math.max(...sentences.map((each) => dot(each, query.vector)));
            expect(scores.sentence).toBeCloseTo(best, 2);
          }
        }
      }
    });

    it('hides groups, and searches only in groups', async () => {
      await store.ensure(collection, { dimensions: DIMENSIONS });
      await store.upsert(
        collection,
        Array.from({ length: 60 }, (_, id) => point(id, id % 3, { terms: terms(5, id + 100) })),
      );
      const both = { vector: vector(), terms: Uint32Array.of(5), limit: 100 };
      expect(await search(both)).toHaveLength(60);
      expect(groupsOf(await search({ ...both, hidden: [1, 77] }))).toEqual([0, 2]);
      expect(groupsOf(await search({ ...both, groups: [1, 2] }))).toEqual([1, 2]);
      expect(groupsOf(await search({ ...both, groups: [1, 2], hidden: [2] }))).toEqual([1]);
      expect(await search({ ...both, groups: [] })).toEqual([]);
      expect(await search({ ...both, groups: [77] })).toEqual([]);
    });

    it('replaces a point with the same id, and repeats without harm', async () => {
      await store.ensure(collection, { dimensions: DIMENSIONS });
      const [before, after] = [point(1, 10, { terms: terms(1) }), point(1, 20, { terms: terms(2) })];
      await store.upsert(collection, [before, point(2, 10, { terms: terms(3) })]);
      expect(await search({ terms: Uint32Array.of(1) })).toHaveLength(1);
      for (let round = 0; round < 2; round++) await store.upsert(collection, [after]);
      expect(await store.count(collection)).toEqual(
        new Map([
          [10, 1],
          [20, 1],
        ]),
      );
      expect(await search({ terms: Uint32Array.of(1) })).toEqual([]);
      const hits = await search({ terms: Uint32Array.of(2), vector: after.vector as Float32Array, limit: 1 });
      expect(hits).toMatchObject([{ id: 1, group: 20, dense: expect.closeTo(1, 4) }]);
      await store.upsert(collection, [{ ...after, vector: null }]);
      expect(await search({ terms: Uint32Array.of(2), vector: vector() })).toContainEqual(
        expect.objectContaining({ id: 1, dense: null }),
      );
    });

    it('removes groups, and says how many points there were', async () => {
      await store.ensure(collection, { dimensions: DIMENSIONS });
      const points = Array.from({ length: 300 }, (_, id) => point(id, Math.floor(id / 20)));
      await store.upsert(collection, points);
      const query = { vector: vector(), terms: randomTerms(random, 400, 6).terms, limit: 1000 };
      expect(await search(query)).toHaveLength(300);
      expect(await store.remove(collection, [0, 3, 99])).toBe(40);
      expect(await store.remove(collection, [0, 3, 99])).toBe(0);
      expect(await store.remove(collection, [])).toBe(0);
      const left = points.filter(({ group }) => group !== 0 && group !== 3);
      const hits = await search(query);
      expect(idsOf(hits)).toEqual(left.map(({ id }) => id));
      expect((await store.count(collection)).get(0)).toBeUndefined();
      // Also what is left scores as if the removed points had never been there.
      if (assumedLength === undefined) {
        const scores = plainBm25(left, query.terms, averageLength(left));
        for (const { id, lexical } of hits) expect(lexical).toBeCloseTo(scores.get(id) ?? 0, 3);
      }
      await store.upsert(collection, points.slice(0, 5));
      expect((await store.count(collection)).get(0)).toBe(5);
      expect(await search(query)).toHaveLength(265);
    });

    it('copies a collection, also over another one', async () => {
      const copy = `${collection}.copy`;
      await store.ensure(collection, { dimensions: DIMENSIONS });
      await store.upsert(collection, [
        point(1, 1, { terms: terms(1), payload: { text: 'Привет' } }),
        point(2, 2, { vector: null, terms: terms(2) }),
      ]);
      await store.ensure(copy, { dimensions: 3 });
      await store.upsert(copy, [{ id: 9, group: 9, vector: Float32Array.of(1, 0, 0), terms: terms(9) }]);
      await store.copy(collection, copy);
      await store.copy(collection, collection);
      await store.remove(collection, [1]);
      expect(await store.count(copy)).toEqual(
        new Map([
          [1, 1],
          [2, 1],
        ]),
      );
      const query = { terms: Uint32Array.of(1, 2, 9), vector: vector() };
      expect(idsOf(await search(query, copy))).toEqual([1, 2]);
      expect(idsOf(await search(query))).toEqual([2]);
      await store.upsert(copy, [point(3, 3)]);
      expect(await store.count(collection)).toEqual(new Map([[2, 1]]));
      await store.drop(copy);
      await expect(store.copy(copy, collection)).rejects.toThrow(NotFound);
      expect(await store.count(collection)).toEqual(new Map([[2, 1]]));
    });

    it('keeps to the dimensions of a collection', async () => {
      await store.ensure(collection, { dimensions: 4 });
      await store.ensure(collection, { dimensions: 4 });
      await store.ensure(collection, { dimensions: null });
      const five = new Float32Array(5).fill(1);
      await expect(store.ensure(collection, { dimensions: 5 })).rejects.toThrow(Conflict);
      const wrong = store.upsert(collection, [{ id: 1, group: 1, vector: five, terms: terms(1) }]);
      await expect(wrong).rejects.toThrow(/4 dimensions, not 5/);
      await expect(search({ vector: five })).rejects.toThrow(Conflict);
      expect(await store.count(collection)).toEqual(new Map());
      await expect(store.ensure(collection, { dimensions: 0 })).rejects.toThrow(BadRequest);
    });

    it('searches by terms before there are vectors, and by both afterwards', async () => {
      await store.ensure(collection, { dimensions: null });
      await store.upsert(collection, [{ id: 1, group: 1, vector: null, terms: terms(1, 2) }]);
      const query = { vector: vector(), terms: Uint32Array.of(2) };
      expect(await search(query)).toMatchObject([{ id: 1, dense: null, sentence: null }]);
      await store.ensure(collection, { dimensions: DIMENSIONS });
      await store.upsert(collection, [point(2, 2, { terms: terms(3) })]);
      expect(idsOf(await search(query))).toEqual([1, 2]);
      const found = (await store.list()).find(({ name }) => name === collection);
      expect(found).toEqual({ name: collection, dimensions: DIMENSIONS, points: 2 });
    });

    it('takes a first vector where none was announced', async () => {
      await store.ensure(collection, { dimensions: null });
      await store.upsert(collection, [point(1, 1)]);
      expect(await search({ vector: vector() })).toHaveLength(1);
      await expect(store.ensure(collection, { dimensions: 7 })).rejects.toThrow(Conflict);
    });

    it('searches by vector alone, and by terms alone', async () => {
      await store.ensure(collection, { dimensions: DIMENSIONS });
      await store.upsert(collection, [point(1, 1, { terms: terms(1) }), point(2, 1, { terms: terms() })]);
      expect(await search({ vector: vector() })).toMatchObject([{ lexical: 0 }, { lexical: 0 }]);
      expect(await search({ terms: Uint32Array.of(1) })).toEqual([
        { id: 1, group: 1, dense: null, sentence: null, lexical: expect.any(Number) },
      ]);
      expect(await search({})).toEqual([]);
    });

    it('takes extreme numbers', async () => {
      await store.ensure(collection, { dimensions: 2 });
      const ids = [0, 2 ** 31, 2 ** 52 + 1];
      const frequent = { terms: Uint32Array.of(0, 2 ** 32 - 1), counts: Uint16Array.of(1, 65_535) };
      const axis = Float32Array.of(1e-30, 0);
      await store.upsert(
        collection,
        ids.map((id) => ({ id, group: id, vector: axis, sentences: [axis, axis], terms: frequent })),
      );
      const query = { vector: Float32Array.of(0, 1e30), terms: Uint32Array.of(2 ** 32 - 1, 0) };
      for (const limit of [3, 1_000_000_000]) {
        const hits = await search({ ...query, limit });
        expect(idsOf(hits)).toEqual(ids);
        expect(hits[0]).toMatchObject({ dense: expect.closeTo(0, 5), sentence: expect.closeTo(0, 5) });
      }
      expect(await search({ ...query, limit: 0 })).toEqual([]);
      expect(await store.remove(collection, [2 ** 52 + 1])).toBe(1);
      expect((await store.count(collection)).get(2 ** 31)).toBe(1);
    });

    it('refuses what is no point, and stores nothing of the call', async () => {
      await store.ensure(collection, { dimensions: 3 });
      const right = { id: 1, group: 1, vector: Float32Array.of(1, 0, 0), terms: terms(1) };
      const vectors = [
        Float32Array.of(1, Number.NaN, 0),
        Float32Array.of(1, Number.POSITIVE_INFINITY, 0),
        new Float32Array(3),
        new Float32Array(),
      ];
      const wrong: Partial<Point>[] = [
        ...vectors.map((vector) => ({ vector })),
        ...vectors.map((vector) => ({ sentences: [vector] })),
        { id: -1 },
        { id: Number.NaN },
        { group: 1.5 },
        { terms: { terms: Uint32Array.of(1), counts: new Uint16Array() } },
        { terms: { terms: Uint32Array.of(2, 2), counts: Uint16Array.of(1, 1) } },
      ];
      for (const each of wrong)
        await expect(store.upsert(collection, [right, { ...right, ...each }])).rejects.toThrow(BadRequest);
      for (const vector of vectors) await expect(search({ vector })).rejects.toThrow(BadRequest);
      await expect(search({ limit: Number.NaN })).rejects.toThrow(BadRequest);
      expect(await store.count(collection)).toEqual(new Map());
    });

    it('knows what an unknown collection means', async () => {
      expect(await search({ vector: vector(), terms: Uint32Array.of(1) })).toEqual([]);
      expect(await store.count(collection)).toEqual(new Map());
      expect(await store.remove(collection, [1])).toBe(0);
      await store.drop(collection);
      await expect(store.upsert(collection, [point(1, 1)])).rejects.toThrow(NotFound);
      await expect(store.upsert(collection, [])).rejects.toThrow(NotFound);
      expect((await store.list()).map(({ name }) => name)).not.toContain(collection);
    });

    it('holds an empty collection, and forgets a dropped one', async () => {
      await store.ensure(collection, { dimensions: 3 });
      await store.upsert(collection, []);
      expect(await search({ vector: Float32Array.of(1, 0, 0), terms: Uint32Array.of(1) })).toEqual([]);
      expect(await store.list()).toContainEqual({ name: collection, dimensions: 3, points: 0 });
      await store.drop(collection);
      expect((await store.list()).map(({ name }) => name)).not.toContain(collection);
      await store.ensure(collection, { dimensions: 5 });
      expect(await store.list()).toContainEqual({ name: collection, dimensions: 5, points: 0 });
    });

    it.each(['constructor', '__proto__', `-${'x'.repeat(120)}.y`])('takes the name %s', async (name) => {
      await store.drop(name);
      expect(await search({ terms: Uint32Array.of(1) }, name)).toEqual([]);
      await store.ensure(name, { dimensions: DIMENSIONS });
      await store.upsert(name, [point(1, 1, { terms: terms(1) })]);
      expect(await search({ terms: Uint32Array.of(1) }, name)).toHaveLength(1);
      await store.drop(name);
    });

    it.each(['', '.', '..', '../x', 'a/b', 'A', 'a b', '.x', 'ж', 'a\0', 'a%2f', 'x'.repeat(129)])(
      'refuses the name %j everywhere',
      async (name) => {
        const calls = [
          store.ensure(name, { dimensions: 3 }),
          store.upsert(name, []),
          store.remove(name, [1]),
          search({ terms: Uint32Array.of(1) }, name),
          store.count(name),
          store.copy(name, collection),
          store.copy(collection, name),
          store.drop(name),
        ];
        for (const call of await Promise.allSettled(calls))
          expect(call).toMatchObject({ status: 'rejected', reason: expect.any(BadRequest) });
      },
    );

    it('stops when the signal fires', async () => {
      await store.ensure(collection, { dimensions: 3 });
      const query = { vector: Float32Array.of(1, 0, 0), terms: new Uint32Array(), limit: 1 };
      const reason = new Error('gone');
      await expect(store.search(collection, query, AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      const searching = store.search(collection, query, controller.signal);
      controller.abort(reason);
      await expect(searching).rejects.toBe(reason);
    });

    it('takes several points that each ensure the collection at the same time', async () => {
      for (const dimensions of [null, DIMENSIONS]) {
        await Promise.all(
          Array.from({ length: 8 }, async (_, id) => {
            await store.ensure(collection, { dimensions });
            const vectorOf = dimensions === null ? { vector: null } : {};
            await store.upsert(collection, [point(id + 1, id, vectorOf)]);
          }),
        );
        expect((await store.count(collection)).size).toBe(8);
      }
    });

    it('takes changes and searches at the same time', async () => {
      await store.ensure(collection, { dimensions: DIMENSIONS });
      const work = Array.from({ length: 20 }, async (_, group) => {
        await store.upsert(
          collection,
          Array.from({ length: 10 }, (_, id) => point(group * 10 + id, group)),
        );
        await search({ vector: vector(), terms: Uint32Array.of(1) });
        if (group % 2 === 0) await store.remove(collection, [group]);
      });
      await Promise.all(work);
      expect([...(await store.count(collection)).values()]).toEqual(new Array(10).fill(10));
      const hits = await search({ vector: vector(), limit: 1000 });
      expect(hits).toHaveLength(100);
      expect(hits.every(({ group }) => group % 2 === 1)).toBe(true);
    });

    it('is ready', async () => {
      await store.check();
    });
  });
}
