/** How often each term occurs in a text. A term is a 32-bit hash, so a store never holds words. */
export interface TermCounts {
  /** In ascending order, without duplicates. */
  terms: Uint32Array;
  /** One per term; higher counts are capped at 65,535. */
  counts: Uint16Array;
}

/** A chunk as a store sees it. */
export interface Point {
  /** The chunk's id, unique within the database. */
  id: number;
  /** The document version that it belongs to. Points are hidden and deleted by group. */
  group: number;
  /** Of length 1; null where no embeddings model was available. */
  vector: Float32Array | null;
  /** Vectors of its sentences, where they are kept. */
  sentences?: readonly Float32Array[] | undefined;
  terms: TermCounts;
  /** What operators see in a Qdrant collection, such as the text, title and page. The embedded store ignores it. */
  payload?: Record<string, unknown>;
}

export interface PointQuery {
  /** Of length 1. Without it, the search is only lexical. */
  vector?: Float32Array | undefined;
  /** The terms of the question, without duplicates. Without any, the search is only dense. */
  terms: Uint32Array;
  /** How many of the best to return per side. */
  limit: number;
  /** Groups that must not be found: versions that are not complete yet, or are being removed. */
  hidden?: readonly number[];
  /** Only these groups, where given. */
  groups?: readonly number[];
}

/** A point found by either side, with the scores of both. */
export interface Hit {
  id: number;
  group: number;
  /** Cosine similarity; null where the point or the query has no vector. */
  dense: number | null;
  /** Cosine similarity of its best sentence; null where it has none. */
  sentence: number | null;
  /** BM25; 0 where no term matches. */
  lexical: number;
}

export interface CollectionInfo {
  name: string;
  /** Null while no point has a vector. */
  dimensions: number | null;
  points: number;
}

/**
 * Collections of points that can be searched by vector and by term. Whatever a promise has confirmed survives a crash.
 * Every change can be repeated without harm. Unknown collections: `search` and `count` find nothing, `remove` and
 * `drop` do nothing, and `upsert` throws `NotFound`.
 */
export interface VectorStore {
  /** Creates the collection if it is missing. Throws `Conflict` if it exists with other dimensions. */
  ensure(collection: string, options: { dimensions: number | null }): Promise<void>;
  /** Adds points, or replaces those with the same id. */
  upsert(collection: string, points: readonly Point[]): Promise<void>;
  /** Removes all points of the groups, with every trace in files of the store, and returns how many there were. */
  remove(collection: string, groups: readonly number[]): Promise<number>;
  search(collection: string, query: PointQuery, signal?: AbortSignal): Promise<Hit[]>;
  /** The number of points per group. */
  count(collection: string): Promise<Map<number, number>>;
  /** Makes `to` a copy of `from`; replaces `to` where it exists. */
  copy(from: string, to: string): Promise<void>;
  drop(collection: string): Promise<void>;
  list(): Promise<CollectionInfo[]>;
  /** Throws if the store is currently unusable. */
  check(): Promise<void>;
  close(): Promise<void>;
}
