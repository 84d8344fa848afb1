import { constants } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';

/** A part of a file that one request fetches: `done` of its bytes are there. */
export interface Segment {
  start: number;
  length: number;
  done: number;
}

/** A connection that brings more than is read has up to this much on its way, which a kill costs. */
const usualSegment = 8 * 2 ** 20;

export const rangesFile = (partial: string) => `${partial}.ranges`;

/**
 * Which parts of a file are here, in a file of its own beside the part: a number for the length of a segment, then one
 * for each segment, written after the bytes it counts. So whatever kills the process, no byte is counted that is not
 * there, and at most what was in flight is fetched again.
 */
export class SegmentLog {
  readonly segments: readonly Segment[];
  readonly #handle: FileHandle;
  readonly #segmentBytes: number;
  /** How many segments from the start are whole, and the bytes in them. */
  #whole = 0;
  #front = 0;

  private constructor(segments: Segment[], segmentBytes: number, handle: FileHandle) {
    this.segments = segments;
    this.#segmentBytes = segmentBytes;
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
      return { start, length, done: Math.min(done, length) };
    });
    const log = new SegmentLog(segments, segmentBytes, handle);
    if (!known) {
      await handle.truncate(0);
      await handle.write(asBytes(segmentBytes), 0, 8, 0);
    }
    return log;
  }

  /** What counts the bytes of a segment up to this one, and its place in the log; to be written after them. */
  entry({ start }: Segment, end: number): { place: number; counts: Uint8Array } {
    return { place: 8 + (start / this.#segmentBytes) * 8, counts: asBytes(end - start) };
  }

  get done(): number {
    return this.segments.reduce((sum, segment) => sum + segment.done, 0);
  }

  /** Bytes from the start of the file without a hole. */
  get front(): number {
    for (let at = this.segments[this.#whole]; at && at.done === at.length; at = this.segments[this.#whole]) {
      this.#front += at.length;
      this.#whole++;
    }
    return this.#front + (this.segments[this.#whole]?.done ?? 0);
  }

  get fd(): number {
    return this.#handle.fd;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function asBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
