import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '../../../contracts/problems.ts';
import { wrongDimensions } from '../checked-points.ts';
import type { Hit, Point, PointQuery } from '../vector-store.ts';
import { indexedPoint, type PointRow } from './file/point-rows.ts';
import { PointsStore } from './file/points-store.ts';
import { PointIndex } from './memory/point-index.ts';
import { checkQueryDimensions, searchPoints } from './search-points.ts';

/** Rows that are loaded before other collections get a turn. */
const BATCH = 500;

/** Thrown by changes when another process has removed or replaced the file since it was opened. */
export class Replaced extends Error {}

/** An opened collection. Its points are loaded into memory by the first search. Only one call may run at a time. */
export class Collection {
  readonly name: string;
  readonly store: PointsStore;
  usedAt = 0;
  readonly #isCurrent: () => boolean;
  #index: PointIndex | undefined;
  /** The last change that is in memory. */
  #seen = 0;
  /** The store's `dataVersion` at the last look for removals by other processes. */
  #version = 0;

  /** `isCurrent` tells whether the name still belongs to the file that was opened. */
  constructor(name: string, file: string, isCurrent: () => boolean) {
    this.name = name;
    this.#isCurrent = isCurrent;
    this.store = new PointsStore(file);
  }

  get isCurrent(): boolean {
    return this.#isCurrent();
  }

  get bytes(): number {
    return this.#index?.bytes ?? 0;
  }

  ensure(dimensions: number | null): void {
    this.write(() => this.#takeDimensions(dimensions));
  }

  upsert(points: readonly Point[]): void {
    this.write(() => {
      for (const { vector, sentences = [] } of points) {
        this.#takeDimensions(vector?.length ?? null);
        for (const sentence of sentences) this.#takeDimensions(sentence.length);
      }
      this.store.upsert(points);
    });
  }

  remove(groups: readonly number[]): number {
    const removed = this.write(() => this.store.remove(groups));
    this.#index?.removeGroups(groups);
    this.#index?.reclaim();
    // Also where nothing was left to remove: an earlier attempt may have been killed right here.
    if (!this.store.emptyLog())
      throw new Unavailable(`the collection '${this.name}' is in use by another process`, { retryAfter: 5 });
    return removed;
  }

  async search(query: PointQuery): Promise<Hit[]> {
    checkQueryDimensions(this.name, this.store, query);
    return searchPoints(await this.#loaded(), this.store, query);
  }

  write<Result>(action: () => Result): Result {
    return this.store.write(() => {
      if (!this.isCurrent) throw new Replaced(this.name);
      return action();
    });
  }

  close(): void {
    this.#index = undefined;
    this.store.close();
  }

  #takeDimensions(dimensions: number | null): void {
    const { dimensions: existing } = this.store.state();
    if (dimensions === null || dimensions === existing) return;
    if (existing !== null) throw wrongDimensions(this.name, existing, dimensions);
    this.store.setDimensions(dimensions);
  }

  /** The points in memory, after loading those that this or another process has changed. */
  async #loaded(): Promise<PointIndex> {
    // Whatever is written after these two lines is found by the next search.
    const version = this.store.dataVersion();
    const { change, dimensions } = this.store.state();
    const index = this.#index ?? new PointIndex();
    if (change !== this.#seen || !this.#index) await this.#load(index, dimensions);
    if (this.#index && version !== this.#version) this.#dropRemoved(index);
    index.reclaim();
    this.#index = index;
    this.#seen = change;
    this.#version = version;
    return index;
  }

  async #load(index: PointIndex, dimensions: number | null): Promise<void> {
    let [change, id] = [this.#seen, Number.MAX_SAFE_INTEGER];
    let last = -1;
    for (;;) {
      const rows: (PointRow & { change?: number })[] = this.#index
        ? this.store.rowsChangedAfter(change, id, BATCH)
        : this.store.rowsAfter(last, BATCH);
      for (const row of rows) index.put(indexedPoint(row, dimensions));
      const final = rows.at(-1);
      if (!final || rows.length < BATCH) return;
      [change, id, last] = [final.change ?? change, final.id, final.id];
      await nextTurn();
    }
  }

  /** Points are only removed by group, so a group with fewer points in the file than in memory has lost some. */
  #dropRemoved(index: PointIndex): void {
    const stored = this.store.groupSizes();
    for (const [group, size] of index.groupSizes())
      if (stored.get(group) !== size) index.retain(group, this.store.idsOfGroup(group));
  }
}
