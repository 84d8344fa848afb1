import { mkdir, stat } from 'node:fs/promises';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import { OutOfSpace, Problem } from '../../contracts/problems.ts';
import { Disk } from '../files/fetching/disk.ts';
import { type FetchOptions, fetchFile } from '../files/fetching/fetch-file.ts';
import type { SegmentSource } from '../files/fetching/fetch-segment.ts';
import { SegmentLog } from '../files/fetching/segments.ts';
import { freeOn, inMegabytes } from '../files/require-space.ts';
import { chooseFiles, type ModelFormat } from './choose-files.ts';
import type { HubCache } from './hub-cache.ts';
import { completeFile, type HubClient, type HubFile, type HubRepository } from './hub-client.ts';
import { abandon, type HubAnswer } from './hub-request.ts';
import type { ModelReference } from './model-reference.ts';

export interface HubFetchDependencies {
  hub: HubClient;
  cache: HubCache;
  engines: readonly PodEngine[];
  /** Bytes free where the cache is; the file system's own answer where not given. */
  freeBytes?: (folder: string) => Promise<number>;
}

export interface FetchedModel {
  repository: HubRepository;
  format: ModelFormat;
  files: HubFile[];
  /** The snapshot, where each file stands under its name. */
  folder: string;
}

export interface HubFetchOptions
  extends Pick<FetchOptions, 'signal' | 'connections' | 'segmentBytes' | 'pace'> {
  allowPickle?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/** What is kept free for the rest of the machine. */
const headroom = 128 * 2 ** 20;

/** Brings a model of the hub into the hub's cache: only what an engine needs, pinned to a commit, checked by hash. */
export async function fetchModel(
  deps: HubFetchDependencies,
  reference: ModelReference,
  options: HubFetchOptions,
): Promise<FetchedModel> {
  // Its thread starts while the hub is being asked.
  const disk = new Disk();
  try {
    return await fetchOnto(disk, deps, reference, options);
  } finally {
    await disk.close();
  }
}

async function fetchOnto(
  disk: Disk,
  deps: HubFetchDependencies,
  reference: ModelReference,
  options: HubFetchOptions,
): Promise<FetchedModel> {
  const { hub, cache } = deps;
  const repository = await hub.repository(reference, options.signal);
  const chosen = chooseFiles(repository, {
    quantization: reference.quantization,
    engines: deps.engines,
    allowPickle: options.allowPickle === true,
  });
  const files: HubFile[] = [];
  for (const file of chosen.files) files.push(await completeFile(hub, repository, file, options.signal));
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const missing: HubFile[] = [];
  let done = 0;
  for (const file of files) {
    if ((await cache.sizeOf(repository.name, repository.commit, file.path)) === file.size) done += file.size;
    else missing.push(file);
  }
  await checkSpace(deps, repository.name, missing, options.segmentBytes);
  const onBytes = (count: number) => {
    done += count;
    options.onProgress?.(done, total);
  };
  onBytes(0);
  for (const file of missing.sort((one, other) => one.size - other.size)) {
    await bring(deps, repository, file, { ...options, disk, onBytes });
  }
  await cache.writeReference(repository.name, reference.revision, repository.commit);
  return {
    repository,
    format: chosen.format,
    files,
    folder: cache.snapshot(repository.name, repository.commit),
  };
}

async function bring(
  { hub, cache }: HubFetchDependencies,
  { name, commit }: HubRepository,
  file: HubFile,
  options: FetchOptions,
): Promise<void> {
  const origin = hub.fileUrl(name, commit, file.path);
  const blob = cache.blob(name, file.hash.hex);
  // The same content under another name, or of another revision.
  if ((await stat(blob).catch(() => undefined))?.size === file.size) options.onBytes(file.size);
  else {
    await fetchFile(sourceOf(hub, origin, name, file), file.hash, blob, options).catch((error: unknown) => {
      throw named(error, file);
    });
  }
  await cache.link(name, commit, file.path, file.hash.hex);
}

/** Goes to the storage directly once the hub has told where that is; asks again when that address has run out. */
function sourceOf(hub: HubClient, origin: string, repository: string, file: HubFile): SegmentSource {
  const about = { repository, file: file.path };
  let storage: string | undefined;
  let declined = false;
  return {
    size: file.size,
    async address(signal) {
      if (declined) return null;
      if (storage === undefined) {
        const answer = await hub.open(origin, { ...about, range: 'bytes=0-0', signal });
        abandon(answer);
        storage = answer.url;
      }
      return hub.directAddress(storage);
    },
    async open(first, last, signal): Promise<HubAnswer> {
      // Asked for here, the direct way was not open: an address that has run out, or a server without ranges.
      declined = true;
      storage = undefined;
      const whole = first === 0 && last === file.size - 1;
      const answer = await hub.open(origin, {
        ...about,
        signal,
        ...(whole ? {} : { range: `bytes=${first}-${last}` }),
      });
      declined = answer.status !== 206;
      return answer;
    },
  };
}

async function checkSpace(
  deps: HubFetchDependencies,
  repository: string,
  files: HubFile[],
  segmentBytes?: number,
): Promise<void> {
  const { cache, freeBytes = freeOn } = deps;
  await mkdir(cache.root, { recursive: true });
  let needed = 0;
  for (const file of files)
    needed += file.size - (await alreadyHere(cache.blob(repository, file.hash.hex), file.size, segmentBytes));
  const free = await freeBytes(cache.root);
  if (needed > 0 && free < needed + headroom) {
    throw new OutOfSpace(
      `the model needs ${inMegabytes(needed)} more in ${cache.root} (and ${inMegabytes(headroom)} are kept free), ${inMegabytes(free)} are free`,
    );
  }
}

async function alreadyHere(blob: string, size: number, segmentBytes?: number): Promise<number> {
  if (await stat(blob).catch(() => undefined)) return size;
  if (!(await stat(`${blob}.partial`).catch(() => undefined))) return 0;
  const log = await SegmentLog.open(`${blob}.partial`, size, segmentBytes);
  await log.close();
  return log.done;
}

/** Says of which file it is, where the problem does not. */
function named(error: unknown, { path }: HubFile): unknown {
  if (error instanceof Problem && !error.message.includes(path)) error.message = `${path}: ${error.message}`;
  return error;
}
