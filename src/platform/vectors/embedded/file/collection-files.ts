import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const ENDING = '.sqlite';
/** Begins with a dot, as no collection's name does. */
const UNFINISHED = '.new-';
const COMPANIONS = ['', '-wal', '-shm', '-journal'];

/** The files of all collections. Names have been checked before they get here. */
export class CollectionFiles {
  readonly #folder: string;
  #unfinished = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder, and removes what a process left that was killed while it prepared a file. */
  prepare(isRunning: (pid: number) => boolean): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const file of readdirSync(this.#folder)) {
      if (!file.startsWith(UNFINISHED)) continue;
      const pid = Number.parseInt(file.slice(UNFINISHED.length), 10);
      if (!isRunning(pid)) rmSync(join(this.#folder, file), { force: true });
    }
  }

  names(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((file) => file.endsWith(ENDING) && !file.startsWith('.'))
      .map((file) => file.slice(0, -ENDING.length))
      .sort();
  }

  path(name: string): string {
    return join(this.#folder, name + ENDING);
  }

  /** What tells a file from another one under the same name; undefined where there is none. */
  identity(name: string): string | undefined {
    const found = statSync(this.path(name), { throwIfNoEntry: false, bigint: true });
    return found && `${found.dev}:${found.ino}`;
  }

  /** A path for a file that `publish` puts in place. */
  unfinished(): string {
    return join(this.#folder, `${UNFINISHED}${process.pid}-${threadId}-${this.#unfinished++}`);
  }

  /** Gives a complete file its name, durably. Returns false if there is a file of that name already. */
  publish(unfinished: string, name: string): boolean {
    flush(unfinished);
    // A log that outlived its file would be applied to the new one.
    if (this.identity(name) === undefined) this.remove(name);
    try {
      linkSync(unfinished, this.path(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      this.discard(unfinished);
    }
    flush(this.#folder);
    return true;
  }

  discard(path: string): void {
    for (const companion of COMPANIONS) rmSync(path + companion, { force: true });
  }

  remove(name: string): void {
    this.discard(this.path(name));
    flush(this.#folder);
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
