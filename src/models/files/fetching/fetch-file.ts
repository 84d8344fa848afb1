import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Conflict } from '../../../contracts/problems.ts';
import type { FileHash } from '../../hub/hub-client.ts';
import { DirectConnection } from './direct-connection.ts';
import type { Disk } from './disk.ts';
import {
  fetchSegment,
  type Pace,
  type SegmentOptions,
  type SegmentSource,
  type Target,
  usualPace,
} from './fetch-segment.ts';
import { PartialFile } from './partial-file.ts';
import { patiently } from './patience.ts';
import { rangesFile, type Segment } from './segments.ts';

export interface FetchOptions {
  disk: Disk;
  signal: AbortSignal;
  connections?: number;
  segmentBytes?: number;
  pace?: Pace;
  /** Bytes that count now: negative where what was here had to be thrown away. */
  onBytes(count: number): void;
}

const usualConnections = 8;
const rampEvery = 250;
/** Bytes a second. */
const fastEnough = 150e6;
/** Bytes a read: what comes as fast as it is read comes in smaller ones. */
const backlog = 2 ** 17;

/**
 * Fetches a file over several connections at once, goes on where an earlier attempt stopped, and lets the file
 * appear under its name only when its hash is right.
 */
export async function fetchFile(
  source: SegmentSource,
  hash: FileHash,
  to: string,
  options: FetchOptions,
): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const partial = `${to}.partial`;
  let resumed = await fetchParts(source, hash, partial, options);
  // A part that a power cut has damaged is not the hub's fault: once more, from nothing.
  if (resumed === 'wrong' && (await discard(partial)))
    resumed = await fetchParts(source, hash, partial, options);
  if (resumed !== 'right') {
    await discard(partial);
    throw new Conflict(`what came does not have the hash ${hash.hex} that the hub says; it was removed`, {
      code: 'wrong_hash',
    });
  }
  await rename(partial, to);
  await rm(rangesFile(partial), { force: true });
}

/** `wrong` where some of it was of an earlier attempt, `refused` where all of it came just now. */
async function fetchParts(
  source: SegmentSource,
  hash: FileHash,
  partial: string,
  options: FetchOptions,
): Promise<'right' | 'wrong' | 'refused'> {
  const { segmentBytes, onBytes } = options;
  const file = await PartialFile.open(options.disk, partial, {
    size: source.size,
    hash,
    segmentBytes,
    onBytes,
  });
  const before = file.log.done;
  onBytes(before);
  try {
    if (source.size > 0) await fetchAll(source, file, options);
    const right = (await file.hex()) === hash.hex;
    if (right) return 'right';
    onBytes(-source.size);
    return before > 0 ? 'wrong' : 'refused';
  } finally {
    await file.close();
  }
}

/**
 * Every quarter second another connection joins in, unless those that are open bring enough, or have more waiting than
 * is read: then more of them bring nothing but more to fetch again after a kill.
 */
async function fetchAll(source: SegmentSource, file: PartialFile, options: FetchOptions): Promise<void> {
  const { connections = usualConnections, pace = usualPace } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let reads = 0;
  let read = 0;
  const onRead = (count: number) => {
    reads++;
    read += count;
  };
  const target: Target = { file, onRead };
  const waiting = file.log.segments.filter((segment) => segment.done < segment.length);
  const work = async () => {
    const connection = new DirectConnection();
    try {
      for (let segment = waiting.shift(); segment; segment = waiting.shift()) {
        await fetchWhole(source, segment, target, { connection, pace, signal });
      }
    } finally {
      connection.close();
    }
  };
  const working: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const join = () => {
    working.push(
      work().catch((error) => {
        failures.push(error);
        stop.abort();
      }),
    );
  };
  join();
  const ramp = setInterval(() => {
    const enough = read * (1000 / rampEvery) > fastEnough || read / reads > backlog;
    reads = 0;
    read = 0;
    if (!enough && waiting.length > 0 && working.length < connections) join();
  }, rampEvery);
  try {
    for (let at = 0; at < working.length; at++) await working[at];
  } finally {
    clearInterval(ramp);
  }
  options.signal.throwIfAborted();
  // The first failure stopped the others, whose own errors only say that.
  if (failures.length > 0) throw failures[0];
  await file.settled();
}

/** As long as each try brings something it goes on; five in a row that bring nothing end it. */
async function fetchWhole(
  source: SegmentSource,
  segment: Segment,
  target: Target,
  options: SegmentOptions,
): Promise<void> {
  let before = segment.done;
  const progressed = () => {
    const moved = segment.done > before;
    before = segment.done;
    return moved;
  };
  await patiently(options.signal, () => fetchSegment(source, segment, target, options), { progressed });
}

/** Waits until files are on the disk itself, so that a power cut can't take back what was said to be here. */
export async function makeDurable(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const handle = await open(path, 'r');
    await handle.datasync().finally(() => handle.close());
  }
}

async function discard(partial: string): Promise<boolean> {
  await rm(partial, { force: true });
  await rm(rangesFile(partial), { force: true });
  return true;
}
