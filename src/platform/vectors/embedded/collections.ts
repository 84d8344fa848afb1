import { isAlive } from '../../processes/is-alive.ts';
import type { CollectionInfo, Hit, Point, PointQuery } from '../vector-store.ts';
import { Collection, Replaced } from './collection.ts';
import { CollectionFiles } from './collection-files.ts';
import { Damaged } from './point-rows.ts';
import { createPointsFile } from './points-store.ts';

export interface CollectionsOptions {
  folder: string;
  /** Bytes of memory for opened collections. The one in use may exceed it. */
  memory: number;
  /** Milliseconds after which an unused collection is closed. */
  idle: number;
  onDamaged(name: string, reason: string): void;
}

/** Files that are open at the same time. */
const MOST_OPEN = 200;

/** All collections of a folder. Calls for one collection run one after another. */
export class Collections {
  readonly #options: CollectionsOptions;
  readonly #files: CollectionFiles;
  readonly #open = new Map<string, Collection>();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Files whose structure has been checked. */
  readonly #checked = new Set<string>();

  constructor(options: CollectionsOptions) {
    this.#options = options;
    this.#files = new CollectionFiles(options.folder);
    this.#files.prepare(isAlive);
  }

  ensure(name: string, dimensions: number | null): Promise<void> {
    return this.#inTurn(name, async () => {
      if (this.#files.identity(name) === undefined) this.#create(name, dimensions);
      const found = await this.#with(name, (collection) => {
        collection.ensure(dimensions);
        return true;
      });
      if (!found) this.#create(name, dimensions);
    });
  }

  /** Returns false if there is no such collection. */
  upsert(name: string, points: readonly Point[]): Promise<boolean> {
    return this.#inTurn(name, async () => {
      const found = await this.#with(name, (collection) => {
        collection.upsert(points);
        return true;
      });
      return found ?? false;
    });
  }

  remove(name: string, groups: readonly number[]): Promise<number> {
    return this.#inTurn(
      name,
      async () => (await this.#with(name, (collection) => collection.remove(groups))) ?? 0,
    );
  }

  search(name: string, query: PointQuery): Promise<Hit[]> {
    return this.#inTurn(
      name,
      async () => (await this.#with(name, (collection) => collection.search(query))) ?? [],
    );
  }

  count(name: string): Promise<Map<number, number>> {
    return this.#inTurn(
      name,
      async () => (await this.#with(name, (collection) => collection.store.groupSizes())) ?? new Map(),
    );
  }

  /** Returns false if there is no such collection. */
  async copy(from: string, to: string): Promise<boolean> {
    const unfinished = this.#files.unfinished();
    const found = await this.#inTurn(from, () =>
      this.#with(from, async (collection) => {
        await collection.store.copyTo(unfinished);
        return true;
      }),
    );
    if (!found) return false;
    await this.#inTurn(to, async () => {
      do await this.#drop(to);
      while (!this.#files.publish(unfinished, to));
    });
    return true;
  }

  drop(name: string): Promise<void> {
    return this.#inTurn(name, () => this.#drop(name));
  }

  async list(): Promise<CollectionInfo[]> {
    const list: CollectionInfo[] = [];
    for (const name of this.#files.names()) {
      const info = await this.#inTurn(name, () =>
        this.#with(name, ({ store }) => ({
          name,
          dimensions: store.state().dimensions,
          points: store.count(),
        })),
      );
      if (info) list.push(info);
    }
    return list;
  }

  /** Closes collections that have not been used for a while. */
  closeIdle(): void {
    for (const collection of this.#open.values())
      if (Date.now() - collection.usedAt > this.#options.idle) this.#closeIfUnused(collection);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
    for (const collection of this.#open.values()) collection.close();
    this.#open.clear();
  }

  async #inTurn<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(name);
    const turn = (before ?? Promise.resolve()).then(task, task);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  /** Runs `task` on a collection. Returns undefined if there is none, or if its file was damaged and removed. */
  async #with<Result>(
    name: string,
    task: (collection: Collection) => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      const collection = this.#opened(name);
      if (!collection) return undefined;
      collection.usedAt = Date.now();
      const result = await task(collection);
      this.#makeRoom(collection);
      return result;
    } catch (error) {
      if (error instanceof Replaced) return this.#with(name, task);
      if (!isDamage(error)) throw error;
      this.#forget(name);
      this.#files.remove(name);
      this.#options.onDamaged(name, (error as Error).message);
      return undefined;
    }
  }

  #opened(name: string): Collection | undefined {
    const known = this.#open.get(name);
    if (known?.isCurrent) return known;
    this.#forget(name);
    const identity = this.#files.identity(name);
    if (identity === undefined) return undefined;
    const isCurrent = () => this.#files.identity(name) === identity;
    const collection = new Collection(name, this.#files.path(name), isCurrent);
    this.#open.set(name, collection);
    if (!this.#checked.has(identity)) collection.store.check();
    this.#checked.add(identity);
    return collection;
  }

  #create(name: string, dimensions: number | null): void {
    const unfinished = this.#files.unfinished();
    createPointsFile(unfinished, dimensions);
    this.#files.publish(unfinished, name);
  }

  /** The lock keeps other processes from writing to a file that is about to disappear. */
  async #drop(name: string): Promise<void> {
    await this.#with(name, (collection) => {
      collection.store.emptyLog();
      collection.write(() => this.#files.remove(name));
    });
    this.#forget(name);
  }

  #forget(name: string): void {
    this.#open.get(name)?.close();
    this.#open.delete(name);
  }

  /** Closes the collections that have been unused for longest, until the rest fit. */
  #makeRoom(current: Collection): void {
    const others = [...this.#open.values()].filter((collection) => collection !== current);
    others.sort((one, other) => one.usedAt - other.usedAt);
    let bytes = [...this.#open.values()].reduce((sum, collection) => sum + collection.bytes, 0);
    let open = this.#open.size;
    for (const collection of others) {
      if (bytes <= this.#options.memory && open <= MOST_OPEN) return;
      const size = collection.bytes;
      if (!this.#closeIfUnused(collection)) continue;
      bytes -= size;
      open--;
    }
  }

  #closeIfUnused(collection: Collection): boolean {
    if (this.#turns.has(collection.name)) return false;
    this.#forget(collection.name);
    return true;
  }
}

function isDamage(error: unknown): boolean {
  const { code } = error as { code?: string };
  return (
    error instanceof Damaged || code === 'SQLITE_NOTADB' || (code?.startsWith('SQLITE_CORRUPT') ?? false)
  );
}
