import { stat } from 'node:fs/promises';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import { Problem } from '../../contracts/problems.ts';
import type { ModelFormat } from '../facts/model-format.ts';
import { Disk } from '../files/fetching/disk.ts';
import { type FetchOptions, fetchFile } from '../files/fetching/fetch-file.ts';
import { bytesHere } from '../files/fetching/segments.ts';
import { type FreeBytes, requireSpace } from '../files/require-space.ts';
import { chooseFiles } from './choose-files.ts';
import type { HubCache } from './hub-cache.ts';
import { completeFile, type HubClient, type HubFile, type HubRepository } from './hub-client.ts';
import type { ModelReference } from './model-reference.ts';

export interface HubFetchDependencies {
  hub: HubClient;
  cache: HubCache;
  engines: readonly PodEngine[];
  /** Bytes free where the cache is; asks the file system where not given. */
  freeBytes?: FreeBytes;
}

export interface FetchedModel {
  repository: HubRepository;
  format: ModelFormat;
  files: HubFile[];
  /** The snapshot, where each file has its own name. */
  folder: string;
}

export interface HubFetchOptions
  extends Pick<FetchOptions, 'signal' | 'connections' | 'segmentBytes' | 'pace'> {
  allowPickle?: boolean;
  onProgress?: (done: number, total: number) => void;
}

/** Fetches a model into the hub's cache: only what an engine needs, pinned to a commit, checked by hash. */
export async function fetchModel(
  deps: HubFetchDependencies,
  reference: ModelReference,
  options: HubFetchOptions,
): Promise<FetchedModel> {
  // Its threads start while the hub is being asked.
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
  const { hub, cache, freeBytes } = deps;
  const repository = await hub.repository(reference, options.signal);
  const chosen = chooseFiles(repository, {
    quantization: reference.quantization,
    engines: deps.engines,
    allowPickle: options.allowPickle === true,
  });
  const files: HubFile[] = [];
  for (const file of chosen.files) files.push(await completeFile(hub, repository, file, options.signal));
  const total = files.reduce((sum, file) => sum + file.size, 0);
  let before = 0;
  const missing: HubFile[] = [];
  for (const file of files) {
    if ((await cache.sizeOf(repository.name, repository.commit, file.path)) === file.size)
      before += file.size;
    else missing.push(file);
  }
  await requireSpace(cache.root, await bytesToFetch(deps, repository, missing, options), freeBytes);
  const onProgress = (done: number) => options.onProgress?.(before + done, total);
  onProgress(0);
  for (const file of missing.sort((one, other) => one.size - other.size)) {
    await bring(deps, repository, file, { ...options, disk, freeBytes, onProgress });
    before += file.size;
    onProgress(0);
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
  repository: HubRepository,
  file: HubFile,
  options: FetchOptions,
): Promise<void> {
  const { name, commit } = repository;
  const blob = cache.blob(name, file.hash.hex);
  // It may be there already, under another name or from another revision.
  if ((await stat(blob).catch(() => undefined))?.size !== file.size) {
    await fetchFile(hub.remoteFile(repository, file), blob, options).catch((error: unknown) => {
      throw named(error, file);
    });
  }
  await cache.link(name, commit, file.path, file.hash.hex);
}

async function bytesToFetch(
  { cache }: HubFetchDependencies,
  { name }: HubRepository,
  files: readonly HubFile[],
  { segmentBytes }: HubFetchOptions,
): Promise<number> {
  let bytes = 0;
  for (const { size, hash } of files) {
    const blob = cache.blob(name, hash.hex);
    if (await stat(blob).catch(() => undefined)) continue;
    bytes += size - (await bytesHere(`${blob}.partial`, { size, content: hash.hex, segmentBytes }));
  }
  return bytes;
}

/** Names the file in a message that does not. */
function named(error: unknown, { path }: HubFile): unknown {
  if (error instanceof Problem && !error.message.includes(path)) error.message = `${path}: ${error.message}`;
  return error;
}
