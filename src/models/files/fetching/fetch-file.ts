import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OutOfSpace, type Problem, Unavailable } from '../../../contracts/problems.ts';
import { Refused } from '../http/answer-problem.ts';
import { abandon } from '../http/close-answer.ts';
import type { HttpAnswer } from '../http/open-address.ts';
import { patiently } from '../http/patience.ts';
import { type FreeBytes, requireSpace, spaceIn } from '../require-space.ts';
import type { Disk } from './disk.ts';
import { fetchInParallel } from './fetch-in-parallel.ts';
import { openSegment } from './fetch-segment.ts';
import { atPace, type Pace, usualPace } from './pace.ts';
import { PartialFile } from './partial-file.ts';
import { pour } from './pour.ts';
import { extentOf, type RemoteFile, RemoteReader } from './remote-file.ts';
import { rangesFile, usualSegment } from './segments.ts';

export interface FetchOptions {
  disk: Disk;
  signal: AbortSignal;
  /** How often a server that does not answer is asked; a source that has alternatives is given up earlier. */
  tries?: number | undefined;
  connections?: number;
  segmentBytes?: number;
  pace?: Pace;
  freeBytes?: FreeBytes | undefined;
  /** Bytes of the file that are here, and its size where it is known. Falls where parts had to be discarded. */
  onProgress(done: number, total: number | undefined): void;
}

/**
 * The download engine. It fetches a file over several connections at once, or in one stream where the server has no
 * ranges, continues where an earlier attempt stopped, and gives the file its name only when its hash is right.
 */
export async function fetchFile(remote: RemoteFile, to: string, options: FetchOptions): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const partial = `${to}.partial`;
  let outcome = await attempt(remote, partial, options);
  if (outcome !== 'right' && outcome.mixed) {
    await discard(partial);
    outcome = await attempt(remote, partial, options);
  }
  if (outcome !== 'right') {
    await discard(partial);
    throw outcome.problem;
  }
  await rename(partial, to);
  await rm(rangesFile(partial), { force: true });
}

interface Wrong {
  problem: Problem;
  /** Parts of an earlier attempt or of another version are in it, so fetching it anew may help. */
  mixed: boolean;
}

async function attempt(remote: RemoteFile, partial: string, options: FetchOptions): Promise<'right' | Wrong> {
  const { segmentBytes = usualSegment, onProgress } = options;
  const reader = new RemoteReader(remote);
  // Where the source does not say what the file is, the server's first answer does.
  const described = remote.size !== null && remote.hash !== null;
  const opening = described ? undefined : await openFirst(reader, segmentBytes - 1, options);
  const size = remote.size ?? (opening ? extentOf(opening).size : null);
  if (opening?.status === 206 && size === null) {
    abandon(opening);
    throw new Refused(`${new URL(opening.url).host} does not tell the size of ${remote.name}`);
  }
  const content = remote.hash?.hex ?? (reader.version ? `${remote.url} ${reader.version}` : null);
  // Before anything is allocated for a size that another server claims.
  const room = await roomFor(partial, size, options).catch((error: unknown) => {
    if (opening) abandon(opening);
    throw error;
  });
  const file = await PartialFile.open(options.disk, partial, {
    size,
    content,
    segmentBytes,
    hash: remote.hash,
    onProgress(done) {
      if (done > room) throw new OutOfSpace(`${remote.name} is larger than the space on the disk`);
      onProgress(done, size ?? undefined);
    },
  });
  const before = file.log.done;
  onProgress(before, size ?? undefined);
  try {
    await requireSpace(dirname(partial), (size ?? 0) - before, options.freeBytes);
    await fetchMissing(reader, file, opening, options);
    await file.settled();
    // On a slow disk all may have arrived, and wait to be written, when a stop comes.
    options.signal.throwIfAborted();
    const found = await file.check();
    if (found !== 'right') {
      const what = `${remote.name} has the hash ${found.wrong} instead of ${remote.hash?.hex}; the download was discarded`;
      return { problem: new Refused(what, { code: 'wrong_hash' }), mixed: before > 0 || reader.changed };
    }
    if (remote.hash || !reader.changed) return 'right';
    return {
      problem: new Unavailable(`${remote.name} changed on the server during the download`),
      mixed: true,
    };
  } finally {
    if (opening) abandon(opening);
    await file.close();
  }
}

/** The bytes that the file may take. Throws where the disk has too little space for a file of this size. */
async function roomFor(partial: string, size: number | null, { freeBytes }: FetchOptions): Promise<number> {
  const here = ((await stat(partial).catch(() => undefined))?.blocks ?? 0) * 512;
  if (size === null) return here + (await spaceIn(dirname(partial), freeBytes));
  await requireSpace(dirname(partial), size - here, freeBytes);
  return size;
}

function openFirst(reader: RemoteReader, last: number, options: FetchOptions): Promise<HttpAnswer> {
  const { pace = usualPace, signal, tries } = options;
  return patiently(signal, () => atPace(pace, signal, (watched) => reader.open(0, last, watched.signal)), {
    tries,
  });
}

/** The first answer shows whether the server has ranges; until one does, the file comes in one stream. */
async function fetchMissing(
  reader: RemoteReader,
  file: PartialFile,
  opening: HttpAnswer | undefined,
  options: FetchOptions,
): Promise<void> {
  const { pace = usualPace, signal, tries } = options;
  let before = file.log.done;
  const progressed = () => {
    const moved = file.log.done > before;
    before = file.log.done;
    return moved;
  };
  let answer = opening;
  const first = await patiently(
    signal,
    () =>
      atPace(pace, signal, async (watched) => {
        const [segment] = file.log.missing;
        if (!segment) return undefined;
        const current = answer ?? (await openSegment(reader, segment, watched.signal));
        answer = undefined;
        if (current.status === 206) return current;
        return pour(current, file.log.missing, file, watched);
      }),
    { progressed, tries },
  );
  if (file.log.missing.length > 0) await fetchInParallel(reader, file, first ?? undefined, options);
}

async function discard(partial: string): Promise<void> {
  await rm(partial, { force: true });
  await rm(rangesFile(partial), { force: true });
}
