import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Conflict } from '../../../contracts/problems.ts';
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

const usualConnections = 8;
const rampEvery = 250;
/** Bytes a second beyond which more connections bring nothing but more to fetch again after a kill. */
const fastEnough = 150e6;

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

interface Arrival {
  handle: FileHandle;
  log: SegmentLog;
  onBytes(count: number): void;
}

/** Every quarter second another connection joins in, where those that are open bring less than the disk could take. */
async function fetchAll(source: SegmentSource, target: Arrival, options: FetchOptions): Promise<void> {
  const { connections = usualConnections, pace = usualPace } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const waiting = target.log.segments.filter((segment) => segment.done < segment.length);
  const work = async () => {
    for (let segment = waiting.shift(); segment; segment = waiting.shift()) {
      await fetchWhole(source, segment, target, { pace, signal });
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
  let before = target.log.done;
  const ramp = setInterval(() => {
    const { done } = target.log;
    const enough = (done - before) * (1000 / rampEvery) > fastEnough;
    before = done;
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
}

/** As long as each try brings something it goes on; five in a row that bring nothing end it. */
async function fetchWhole(
  source: SegmentSource,
  segment: Segment,
  target: Arrival,
  options: { pace: Pace; signal: AbortSignal },
): Promise<void> {
  let before = segment.done;
  const progressed = () => {
    const moved = segment.done > before;
    before = segment.done;
    return moved;
  };
  await patiently(options.signal, () => fetchSegment(source, segment, target, options), { progressed });
}

async function discard(partial: string): Promise<boolean> {
  await rm(partial, { force: true });
  await rm(rangesFile(partial), { force: true });
  return true;
}
