import {
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

/**
 * The hub's cache on disk, in the layout that its other tools read and write:
 * `models--org--name/{blobs/<hash>, refs/<revision>, snapshots/<commit>/<path> → blob}`.
 */
export class HubCache {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  repositoryFolder(repository: string): string {
    return join(this.root, `models--${repository.replaceAll('/', '--')}`);
  }

  blob(repository: string, hash: string): string {
    return join(this.repositoryFolder(repository), 'blobs', hash);
  }

  snapshot(repository: string, commit: string): string {
    return join(this.repositoryFolder(repository), 'snapshots', commit);
  }

  /** What is locked while a repository's files change; where the hub's own tools keep their locks. */
  async lockable(repository: string): Promise<string> {
    const folder = join(this.root, '.locks', basename(this.repositoryFolder(repository)));
    await mkdir(folder, { recursive: true });
    return join(folder, 'roundhouse');
  }

  /** The size of a file of a snapshot; undefined where the file or its blob is missing. */
  async sizeOf(repository: string, commit: string, path: string): Promise<number | undefined> {
    const found = await stat(join(this.snapshot(repository, commit), path)).catch(() => undefined);
    return found?.size;
  }

  async link(repository: string, commit: string, path: string, hash: string): Promise<void> {
    const place = join(this.snapshot(repository, commit), path);
    await mkdir(dirname(place), { recursive: true });
    const target = relative(dirname(place), this.blob(repository, hash));
    if ((await readlink(place).catch(() => undefined)) === target) return;
    // Renamed over the old link, so that a model in use is never without its file.
    await rm(`${place}.partial`, { force: true });
    await symlink(target, `${place}.partial`);
    await rename(`${place}.partial`, place);
  }

  /** Records the commit that a branch or tag stands for. */
  async writeReference(repository: string, revision: string, commit: string): Promise<void> {
    if (revision === commit) return;
    const file = join(this.repositoryFolder(repository), 'refs', revision);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.partial`, commit);
    await rename(`${file}.partial`, file);
  }

  /** Removes files from a snapshot, and blobs that no snapshot links to any more. Returns the bytes freed. */
  async remove(repository: string, commit: string, paths: readonly string[]): Promise<number> {
    const folder = this.repositoryFolder(repository);
    const snapshot = this.snapshot(repository, commit);
    for (const path of paths) {
      await rm(join(snapshot, path), { force: true });
      await removeEmptyFolders(dirname(join(snapshot, path)), join(folder, 'snapshots'));
    }
    const used = await linkedBlobs(join(folder, 'snapshots'));
    let freed = 0;
    for (const name of await readdir(join(folder, 'blobs')).catch(() => [])) {
      if (used.has(name.replace(/\.partial(\.ranges)?$/, ''))) continue;
      const blob = join(folder, 'blobs', name);
      freed += (await lstat(blob)).blocks * 512;
      await rm(blob, { force: true });
    }
    const snapshots = await readdir(join(folder, 'snapshots')).catch(() => []);
    if (snapshots.length === 0) await rm(folder, { recursive: true, force: true });
    else await this.#dropStaleReferences(folder, new Set(snapshots));
    return freed;
  }

  async #dropStaleReferences(folder: string, left: Set<string>): Promise<void> {
    for (const entry of await readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      if (!left.has((await readFile(file, 'utf8')).trim())) await rm(file, { force: true });
    }
  }
}

async function linkedBlobs(snapshots: string): Promise<Set<string>> {
  const entries = await readdir(snapshots, { recursive: true, withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink());
  return new Set(
    await Promise.all(
      links.map(async (entry) => basename(await readlink(join(entry.parentPath, entry.name)))),
    ),
  );
}

/** Removes empty folders from `folder` upwards, up to but not including `top`. */
async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  for (let place = folder; place.startsWith(`${top}/`); place = dirname(place)) {
    try {
      await rmdir(place);
    } catch {
      return;
    }
  }
}
