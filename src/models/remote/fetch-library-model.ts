import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFile, ModelFiles } from '../../contracts/management/model-files.ts';
import { BadRequest } from '../../contracts/problems.ts';
import { Disk } from '../files/fetching/disk.ts';
import { fetchFile } from '../files/fetching/fetch-file.ts';
import { withFolderLock } from '../files/locks/folder-lock.ts';
import { type FreeBytes, requireSpace } from '../files/require-space.ts';

/** The library of another platform. */
export interface RemoteLibrary {
  /** Address of the platform. */
  url: string;
  headers: Record<string, string>;
  /** Requests to it go through a proxy. */
  proxied?: boolean;
}

interface FetchOptions {
  /** Where fetched models are kept, one folder each. */
  folder: string;
  signal: AbortSignal;
  freeBytes?: FreeBytes;
  onProgress?(file: string, done: number, total: number): void;
  onWait?(reason: string): void;
}

export const filesPath = (modelId: string) => `/api/v1/models/${encodeURIComponent(modelId)}/files/`;

/**
 * Copies files of a model from another platform's library, and returns their folder. Files that are here already are
 * not fetched again; an interrupted download continues.
 */
export async function fetchLibraryModel(
  library: RemoteLibrary,
  modelId: string,
  files: readonly ModelFile[],
  options: FetchOptions,
): Promise<string> {
  for (const { path } of files) refuseTricks(path);
  const folder = join(options.folder, folderName(modelId));
  await mkdir(folder, { recursive: true });
  return withFolderLock(folder, options, async () => {
    const marks = await readMarks(folder);
    const missing: ModelFile[] = [];
    for (const file of files) if (!(await isHere(folder, file, marks))) missing.push(file);
    const total = missing.reduce((sum, { size }) => sum + size, 0);
    await requireSpace(folder, await bytesLeft(folder, missing, total), options.freeBytes);
    const disk = new Disk();
    let before = 0;
    try {
      for (const file of missing.sort((one, other) => one.size - other.size)) {
        const { path, size, hash } = file;
        const url = `${library.url}${filesPath(modelId)}${path.split('/').map(encodeURIComponent).join('/')}`;
        await fetchFile({ ...library, url, name: path, size, hash }, join(folder, path), {
          ...options,
          disk,
          onProgress: (done) => options.onProgress?.(path, before + done, total),
        });
        before += size;
        if (hash) marks.set(path, hash.hex);
        await writeMarks(folder, marks);
      }
    } finally {
      await disk.close();
    }
    return folder;
  });
}

/** The files that an engine needs of a model: the converted one for engines that read only that, else the original ones. */
export function filesFor<File extends { path: string }>(
  { files, converted, format }: Pick<ModelFiles, 'converted' | 'format'> & { files: readonly File[] },
  form: ModelFiles['format'],
): readonly File[] {
  if (converted === null) return files;
  return files.filter(({ path }) => (form === format ? path !== converted : path === converted));
}

/** The same at every start. The hash tells ids apart that differ only in what can't be part of a file's name. */
function folderName(modelId: string): string {
  const words = modelId.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '');
  return `${words.slice(0, 48)}-${createHash('sha256').update(modelId).digest('hex').slice(0, 12)}`;
}

/** Another server names the files, so no name may lead out of the folder. */
function refuseTricks(path: string): void {
  const parts = path.split('/');
  if (!parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part))) return;
  throw new BadRequest(`the platform lists a file with an impossible name: ${JSON.stringify(path)}`);
}

/** Names the hash of each complete file. */
const marksFile = (folder: string) => join(folder, '.roundhouse-hashes.json');

async function readMarks(folder: string): Promise<Map<string, string>> {
  try {
    return new Map(JSON.parse(await readFile(marksFile(folder), 'utf8')) as [string, string][]);
  } catch {
    return new Map();
  }
}

async function writeMarks(folder: string, marks: Map<string, string>): Promise<void> {
  await writeFile(`${marksFile(folder)}.partial`, JSON.stringify([...marks]));
  await rename(`${marksFile(folder)}.partial`, marksFile(folder));
}

async function isHere(folder: string, file: ModelFile, marks: Map<string, string>): Promise<boolean> {
  if (!file.hash || marks.get(file.path) !== file.hash.hex) return false;
  return (await stat(join(folder, file.path)).catch(() => undefined))?.size === file.size;
}

async function bytesLeft(folder: string, missing: readonly ModelFile[], total: number): Promise<number> {
  let here = 0;
  for (const { path } of missing) {
    const partial = await stat(join(folder, `${path}.partial`)).catch(() => undefined);
    here += (partial?.blocks ?? 0) * 512;
  }
  return total - here;
}
