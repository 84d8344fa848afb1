import { Collection } from './collection.ts';
import type { CollectionFiles } from './file/collection-files.ts';

export interface OpenLimits {
  /** Bytes of memory for opened collections. The one in use may exceed it. */
  memory: number;
  /** Milliseconds after which an unused collection is closed. */
  idle: number;
  /** Whether a collection must stay open. */
  isBusy(name: string): boolean;
}

/** Files that are open at the same time. */
const MOST_OPEN = 200;

/** The collections that are open, each with its file and what was loaded of it. */
export class OpenCollections {
  readonly #files: CollectionFiles;
  readonly #limits: OpenLimits;
  readonly #open = new Map<string, Collection>();
  /** Files whose structure has been checked. */
  readonly #checked = new Set<string>();

  constructor(files: CollectionFiles, limits: OpenLimits) {
    this.#files = files;
    this.#limits = limits;
  }

  /** Opens a collection if it isn't open yet. Returns undefined if there is none. */
  get(name: string): Collection | undefined {
    const known = this.#open.get(name);
    if (known?.isCurrent) return known;
    this.close(name);
    const identity = this.#files.identity(name);
    if (identity === undefined) return undefined;
    const isCurrent = () => this.#files.identity(name) === identity;
    const collection = new Collection(name, this.#files.path(name), isCurrent);
    this.#open.set(name, collection);
    if (!this.#checked.has(identity)) collection.store.check();
    this.#checked.add(identity);
    return collection;
  }

  close(name: string): void {
    this.#open.get(name)?.close();
    this.#open.delete(name);
  }

  closeAll(): void {
    for (const collection of this.#open.values()) collection.close();
    this.#open.clear();
  }

  /** Closes collections that have not been used for a while. */
  closeIdle(): void {
    for (const collection of this.#open.values())
      if (Date.now() - collection.usedAt > this.#limits.idle) this.#closeIfUnused(collection);
  }

  /** Closes the collections that have been unused for longest, until the rest fit. */
  makeRoom(current: Collection): void {
    const others = [...this.#open.values()].filter((collection) => collection !== current);
    others.sort((one, other) => one.usedAt - other.usedAt);
    let bytes = [...this.#open.values()].reduce((sum, collection) => sum + collection.bytes, 0);
    let open = this.#open.size;
    for (const collection of others) {
      if (bytes <= this.#limits.memory && open <= MOST_OPEN) return;
      const size = collection.bytes;
      if (!this.#closeIfUnused(collection)) continue;
      bytes -= size;
      open--;
    }
  }

  #closeIfUnused({ name }: Collection): boolean {
    if (this.#limits.isBusy(name)) return false;
    this.close(name);
    return true;
  }
}
