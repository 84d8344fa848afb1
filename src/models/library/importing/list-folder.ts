import type { Dirent, Stats } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BadRequest } from '../../../contracts/problems.ts';
import type { ListedFile } from '../../hub/hub-client.ts';

export interface FolderLimits {
  /** Files and folders that are looked at. */
  entries: number;
  /** Folders below the given one. */
  depth: number;
}

/** A repository of a large model has some hundred entries, and its files lie at most two folders deep. */
const usualLimits: FolderLimits = { entries: 5_000, depth: 3 };

export interface ListedFolder {
  files: ListedFile[];
  /** Why a listed file must not be read, by path. */
  refusals: Map<string, string>;
}

/** The files by which a model is recognised. */
const partOfModel = /\.(gguf|safetensors|onnx)$|^(config|adapter_config)\.json$|^pytorch_model.*\.bin$/;

/**
 * Lists the files of a model's folder, level by level. A folder that is not a model's (`/`, a home) is refused after
 * its first two levels.
 */
export async function listFolder(
  folder: string,
  signal: AbortSignal,
  limits: FolderLimits = usualLimits,
): Promise<ListedFolder> {
  const allowed = await rootsOf(folder);
  const listed: ListedFolder = { files: [], refusals: new Map() };
  let level = [''];
  let entries = 0;
  for (let depth = 0; depth <= limits.depth && level.length > 0; depth++) {
    const below: string[] = [];
    for (const parent of level) {
      for await (const entry of read(folder, parent, signal)) {
        if (++entries > limits.entries) throw tooMany(folder, limits);
        const path = join(parent, entry.name);
        if (entry.isDirectory()) below.push(path);
        else await add(listed, folder, path, allowed);
      }
    }
    if (depth === 1 || below.length === 0) refuseOther(folder, listed);
    level = below;
  }
  return listed;
}

/** Hidden folders hold what other tools need: version control, download state. */
async function* read(folder: string, path: string, signal: AbortSignal): AsyncGenerator<Dirent> {
  signal.throwIfAborted();
  const opened = await opendir(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (path !== '') return undefined;
    throw unreadable(folder, error);
  });
  for await (const entry of opened ?? []) {
    signal.throwIfAborted();
    if (!(entry.isDirectory() && entry.name.startsWith('.'))) yield entry;
  }
}

async function add(
  { files, refusals }: ListedFolder,
  folder: string,
  path: string,
  allowed: readonly string[],
): Promise<void> {
  const place = join(folder, path);
  const found = await stat(place).catch(() => undefined);
  if (!found || found.isDirectory()) return;
  const refusal = (await refusalOf(place, found, allowed)) ?? null;
  if (refusal !== null) refusals.set(path, refusal);
  files.push({ path, size: refusal === null ? found.size : 0, hash: null });
}

async function refusalOf(
  place: string,
  found: Stats,
  allowed: readonly string[],
): Promise<string | undefined> {
  if (!found.isFile()) return 'is not a regular file';
  const real = await realpath(place);
  return allowed.some((root) => real.startsWith(`${root}/`))
    ? undefined
    : `is a link out of the folder (to ${real})`;
}

/** Links may lead to files of the same folder. A snapshot of the hub's cache links to the blobs of its repository. */
async function rootsOf(folder: string): Promise<string[]> {
  const real = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(folder, error);
  });
  const parent = dirname(real);
  const root = real === '/' ? '' : real;
  return parent.endsWith('/snapshots') ? [root, join(dirname(parent), 'blobs')] : [root];
}

function refuseOther(folder: string, { files }: ListedFolder): void {
  if (files.some(({ path }) => partOfModel.test(path.split('/').at(-1) ?? ''))) return;
  throw new BadRequest(
    `the folder ${folder} does not look like a model: it has no GGUF, safetensors or ONNX file and no config.json`,
    { param: 'folder' },
  );
}

const tooMany = (folder: string, { entries }: FolderLimits) =>
  new BadRequest(`the folder ${folder} is not a model's: it has more than ${entries} files and folders`, {
    param: 'folder',
  });

function unreadable(folder: string, { code, message }: NodeJS.ErrnoException): BadRequest {
  const reasons = new Map([
    ['ENOENT', 'it does not exist on the machine that runs the platform'],
    ['ENOTDIR', 'it is a file; give the folder that contains it'],
    ['EACCES', 'the platform has no permission to read it'],
  ]);
  return new BadRequest(`the folder ${folder} can't be read: ${reasons.get(code ?? '') ?? message}`, {
    param: 'folder',
  });
}
