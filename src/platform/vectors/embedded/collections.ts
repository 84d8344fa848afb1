import { isAlive } from '../../processes/is-alive.ts';
import type { CollectionInfo, Hit, Point, PointQuery } from '../vector-store.ts';
import { type Collection, Replaced } from './collection.ts';
import { CollectionFiles } from './file/collection-files.ts';
import { Damaged } from './file/point-rows.ts';
import { createPointsFile } from './file/points-file.ts';
import { OpenCollections, type OpenLimits } from './open-collections.ts';
import { Turns } from './turns.ts';

export interface CollectionsOptions extends Pick<OpenLimits, 'memory' | 'idle'> {
  folder: string;
  onDamaged(name: string, reason: string): void;
}

/** All collections of a folder. Calls for one collection run one after another. */
export class Collections {
  readonly #options: CollectionsOptions;
  readonly #files: CollectionFiles;
  readonly #turns = new Turns();
  readonly #open: OpenCollections;

  constructor(options: CollectionsOptions) {
    this.#options = options;
    this.#files = new CollectionFiles(options.folder);
    this.#files.prepare(isAlive);
    this.#open = new OpenCollections(this.#files, {
      memory: options.memory,
      idle: options.idle,
      isBusy: (name) => this.#turns.isBusy(name),
    });
  }

  ensure(name: string, dimensions: number | null): Promise<void> {
    return this.#turns.run(name, async () => {
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
    return this.#turns.run(name, async () => {
      const found = await this.#with(name, (collection) => {
        collection.upsert(points);
        return true;
      });
      return found ?? false;
    });
  }

  remove(name: string, groups: readonly number[]): Promise<number> {
    return this.#turns.run(
      name,
      async () => (await this.#with(name, (collection) => collection.remove(groups))) ?? 0,
    );
  }

  search(name: string, query: PointQuery): Promise<Hit[]> {
    return this.#turns.run(
      name,
      async () => (await this.#with(name, (collection) => collection.search(query))) ?? [],
    );
  }

  count(name: string): Promise<Map<number, number>> {
    return this.#turns.run(
      name,
      async () => (await this.#with(name, (collection) => collection.store.groupSizes())) ?? new Map(),
    );
  }

  /** Returns false if there is no such collection. */
  async copy(from: string, to: string): Promise<boolean> {
    const unfinished = this.#files.unfinished();
    const found = await this.#turns.run(from, () =>
      this.#with(from, async (collection) => {
        await collection.store.copyTo(unfinished);
        return true;
      }),
    );
    if (!found) return false;
    await this.#turns.run(to, async () => {
      do await this.#drop(to);
      while (!this.#files.publish(unfinished, to));
    });
    return true;
  }

  drop(name: string): Promise<void> {
    return this.#turns.run(name, () => this.#drop(name));
  }

  async list(): Promise<CollectionInfo[]> {
    const list: CollectionInfo[] = [];
    for (const name of this.#files.names()) {
      const info = await this.#turns.run(name, () =>
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
    this.#open.closeIdle();
  }

  async close(): Promise<void> {
    await this.#turns.ended();
    this.#open.closeAll();
  }

  /** Runs `task` on a collection. Returns undefined if there is none, or if its file was damaged and removed. */
  async #with<Result>(
    name: string,
    task: (collection: Collection) => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      const collection = this.#open.get(name);
      if (!collection) return undefined;
      collection.usedAt = Date.now();
      const result = await task(collection);
      this.#open.makeRoom(collection);
      return result;
    } catch (error) {
      if (error instanceof Replaced) return this.#with(name, task);
      if (!isDamage(error)) throw error;
      this.#open.close(name);
      this.#files.remove(name);
      this.#options.onDamaged(name, (error as Error).message);
      return undefined;
    }
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
    this.#open.close(name);
  }
}

function isDamage(error: unknown): boolean {
  const { code } = error as { code?: string };
  return (
    error instanceof Damaged || code === 'SQLITE_NOTADB' || (code?.startsWith('SQLITE_CORRUPT') ?? false)
  );
}
