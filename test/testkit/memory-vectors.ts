import { Conflict, NotFound } from '../../src/contracts/problems.ts';
import type { Hit, Point, VectorStore } from '../../src/platform/vectors/vector-store.ts';

export interface MemoryVectors extends VectorStore {
  points(collection: string): Point[];
}

/** A vector store that forgets everything at its end and is not fast. */
export function memoryVectors(): MemoryVectors {
  const collections = new Map<string, { dimensions: number | null; points: Map<number, Point> }>();
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return {
    points: (name) => [...(collections.get(name)?.points.values() ?? [])],
    async ensure(name, { dimensions }) {
      const present = collections.get(name);
      if (!present) collections.set(name, { dimensions, points: new Map() });
      else if (dimensions !== null && present.dimensions !== null && present.dimensions !== dimensions) {
        throw new Conflict(`collection '${name}' has other dimensions`);
      } else present.dimensions ??= dimensions;
    },
    async upsert(name, points) {
      const present = collections.get(name);
      if (!present) throw new NotFound('collection', name);
      for (const point of points) present.points.set(point.id, structuredClone(point));
    },
    async remove(name, groups) {
      const points = collections.get(name)?.points;
      const removed = [...(points?.values() ?? [])].filter(({ group }) => groups.includes(group));
      for (const { id } of removed) points?.delete(id);
      return removed.length;
    },
    async search(name, { vector, terms, limit, hidden = [], groups }) {
      const hits: Hit[] = [];
      for (const point of collections.get(name)?.points.values() ?? []) {
        if (hidden.includes(point.group) || (groups && !groups.includes(point.group))) continue;
        const dense = vector && point.vector ? dot(vector, point.vector) : null;
        const lexical = terms.filter((term) => point.terms.terms.includes(term)).length;
        hits.push({ id: point.id, group: point.group, dense, sentence: null, lexical });
      }
      return hits.sort((a, b) => (b.dense ?? 0) + b.lexical - (a.dense ?? 0) - a.lexical).slice(0, limit);
    },
    async count(name) {
      const counts = new Map<number, number>();
      for (const { group } of collections.get(name)?.points.values() ?? []) {
        counts.set(group, (counts.get(group) ?? 0) + 1);
      }
      return counts;
    },
    async copy(from, to) {
      const source = collections.get(from);
      if (!source) throw new NotFound('collection', from);
      collections.set(to, { dimensions: source.dimensions, points: new Map(source.points) });
    },
    drop: async (name) => void collections.delete(name),
    list: async () =>
      [...collections].map(([name, { dimensions, points }]) => ({ name, dimensions, points: points.size })),
    check: async () => undefined,
    close: async () => undefined,
  };
}
