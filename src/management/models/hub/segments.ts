import { constants } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';

/** A part of a file that one connection fetches: `done` of its bytes are on disk. */
export interface Segment {
  index: number;
  start: number;
  length: number;
  done: number;
}

const usualSegment = 32 * 2 ** 20;

export const rangesFile = (partial: string) => `${partial}.ranges`;

/**
 * Which parts of a file are here, in a file of its own beside the part: a number for the length of a segment, then one
 * for each segment, written after the bytes it counts. So whatever kills the process, no byte is counted that is not
 * there, and at most what was in flight is fetched again.
 */
export class SegmentLog {
  readonly segments: readonly Segment[];
  readonly #handle: FileHandle;
  readonly #number = Buffer.alloc(8);

  private constructor(segments: Segment[], handle: FileHandle) {
    this.segments = segments;
    this.#handle = handle;
  }

  static async open(partial: string, size: number, segmentBytes = usualSegment): Promise<SegmentLog> {
    // Without the part its log counts bytes that are gone.
    if (!(await stat(partial).catch(() => undefined))) await rm(rangesFile(partial), { force: true });
    const handle = await open(rangesFile(partial), constants.O_RDWR | constants.O_CREAT);
    const old = await handle.readFile();
    const known = old.length >= 8 && Number(old.readBigUInt64LE(0)) === segmentBytes;
    const count = Math.max(1, Math.ceil(size / segmentBytes));
    const segments = Array.from({ length: count }, (_, index) => {
      const start = index * segmentBytes;
      const length = Math.min(segmentBytes, size - start);
      const place = 8 + index * 8;
      const done = known && old.length >= place + 8 ? Number(old.readBigUInt64LE(place)) : 0;
      return { index, start, length, done: Math.min(done, length) };
    });
    const log = new SegmentLog(segments, handle);
    if (!known) {
      await handle.truncate(0);
      await log.#write(0, segmentBytes);
    }
    return log;
  }

  /** Counts bytes that have been written. */
  async advance(segment: Segment, bytes: number): Promise<void> {
    segment.done += bytes;
    await this.#write(8 + segment.index * 8, segment.done);
  }

  get done(): number {
    return this.segments.reduce((sum, segment) => sum + segment.done, 0);
  }

  /** Bytes from the start of the file without a hole. */
  get front(): number {
    let front = 0;
    for (const { length, done } of this.segments) {
      front += done;
      if (done < length) break;
    }
    return front;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #write(place: number, value: number): Promise<void> {
    this.#number.writeBigUInt64LE(BigInt(value));
    await this.#handle.write(Buffer.from(this.#number), 0, 8, place);
  }
}
