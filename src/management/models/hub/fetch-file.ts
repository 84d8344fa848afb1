import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Conflict, Problem } from '../../../contracts/problems.ts';
import { fetchSegment, type Pace, type SegmentSource, usualPace } from './fetch-segment.ts';
import { followHash } from './following-hash.ts';
import type { FileHash } from './hub-client.ts';
import { patiently } from './patience.ts';
import { rangesFile, type Segment, SegmentLog } from './segments.ts';

export interface FetchOptions {
  signal: AbortSignal;
  connections?: number;
  segmentBytes?: number;
  pace?: Pace;
  /** Bytes that count now: negative where what was here had to be thrown away. */
  onBytes(count: number): void;
}

const usualConnections = 6;

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
  const log = await SegmentLog.open(partial, source.size, segmentBytes);
  const handle = await open(partial, constants.O_RDWR | constants.O_CREAT);
  const following = followHash(partial, source.size, hash);
  const before = log.done;
  onBytes(before);
  try {
    following.follow(log.front);
    const arrived = (count: number) => {
      onBytes(count);
      following.follow(log.front);
    };
    if (source.size > 0) await fetchAll(source, { handle, log, onBytes: arrived }, options);
    const right = (await following.hex()) === hash.hex;
    if (right) await handle.datasync();
    else onBytes(-source.size);
    if (right) return 'right';
    return before > 0 ? 'wrong' : 'refused';
  } finally {
    await following.close();
    await handle.close();
    await log.close();
  }
}

async function fetchAll(
  source: SegmentSource,
  target: { handle: FileHandle; log: SegmentLog; onBytes(count: number): void },
  options: FetchOptions,
): Promise<void> {
  const { connections = usualConnections, pace = usualPace } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const waiting = target.log.segments.filter((segment) => segment.done < segment.length);
  const work = async () => {
    for (let segment = waiting.shift(); segment; segment = waiting.shift()) {
      await withRetries(
        segment,
        () => fetchSegment(source, segment as Segment, target, { pace, signal }),
        signal,
      );
    }
  };
  const results = await Promise.allSettled(
    Array.from({ length: Math.min(connections, waiting.length) }, () =>
      work().catch((error) => {
        stop.abort();
        throw error;
      }),
    ),
  );
  options.signal.throwIfAborted();
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  // The first failure stops the others, whose own errors only say that.
  const first = failures.find((reason) => reason instanceof Problem) ?? failures[0];
  if (first !== undefined) throw first;
}

/** As long as each try brings something it goes on; five in a row that bring nothing end it. */
async function withRetries(segment: Segment, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let before = segment.done;
  const progressed = () => {
    const moved = segment.done > before;
    before = segment.done;
    return moved;
  };
  await patiently(signal, work, { progressed });
}

async function discard(partial: string): Promise<boolean> {
  await rm(partial, { force: true });
  await rm(rangesFile(partial), { force: true });
  return true;
}
