import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { FileHash } from '../../files/fetching/remote-file.ts';
import { sha256Of } from '../../files/hash-file.ts';

interface Remembered {
  size: number;
  modified: number;
  hash: Promise<FileHash>;
}

/** The hashes of files on this disk. A file is read once; after that, only if it has changed. */
export class FileHashes {
  readonly #known = new Map<string, Remembered>();

  async of(path: string): Promise<{ size: number; hash: FileHash }> {
    const file = await realpath(path);
    const { size, mtimeMs: modified } = await stat(file);
    const known = this.#known.get(file);
    if (known?.size === size && known.modified === modified) return { size, hash: await known.hash };
    const hash = Promise.resolve(hashInName(file) ?? computed(file));
    // A file that can't be read may be readable later.
    hash.catch(() => this.#known.delete(file));
    this.#known.set(file, { size, modified, hash });
    return { size, hash: await hash };
  }
}

async function computed(file: string): Promise<FileHash> {
  return { algorithm: 'sha256', hex: await sha256Of(file) };
}

/** In the hub's cache, a file is named by the hash that its download was checked against. */
export function hashInName(file: string): FileHash | undefined {
  if (basename(dirname(file)) !== 'blobs') return undefined;
  const hex = basename(file);
  if (/^[0-9a-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex };
  return /^[0-9a-f]{40}$/.test(hex) ? { algorithm: 'git-sha1', hex } : undefined;
}
