import { Unavailable } from '../contracts/problems.ts';
import type { VectorStore } from '../platform/vectors/vector-store.ts';
import type { IndexEngine } from './part.ts';

const absent = async (): Promise<never> => {
  throw new Unavailable('this process has no vector store yet');
};

/** Stands in for the vector store until one can be opened. */
export const absentVectors: VectorStore = {
  ensure: absent,
  upsert: absent,
  remove: absent,
  search: absent,
  count: async () => new Map(),
  copy: absent,
  drop: async () => undefined,
  list: async () => [],
  check: async () => undefined,
  close: async () => undefined,
};

/** Stands in for ingestion and sources until they can be opened. */
export const absentEngine: IndexEngine = {
  ingestion: { ingest: absent, removeVersions: absent, reembed: absent },
  models: { current: async () => null, isServed: async () => false },
  sources: {
    list() {
      throw new Unavailable('this process can not read sources yet');
    },
    fetch: absent,
  },
};

export const absentSearch = absent;
