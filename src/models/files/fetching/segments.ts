import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';

/** A part of a file that one request fetches: `done` of its bytes are on disk. */
export interface Segment {
  start: number;
  length: number;
  done: number;
}

/** What the parts of a file belong to. */
export interface FileIdentity {
  /** Null where the server does not tell it: then the file is one segment without an end. */
  size: number | null;
  /** Names the content: a hash or a version. Null where nothing does, so that no earlier part is used. */
  content: string | null;
  segmentBytes?: number | undefined;
}

/** A connection that delivers faster than it is read has up to this much in flight, which a kill loses. */
export const usualSegment = 8 * 2 ** 20;
/** A file has no more segments than this, whatever size a server claims: the table of them is kept in memory. */
const mostSegments = 2 ** 16;
/** The length of a segment, and a hash of what the parts belong to. */
const headBytes = 8 + 32;

export const rangesFile = (partial: string) => `${partial}.ranges`;

/**
 * Which parts of a file are here, in a file beside it: a head, then for each segment the count of its bytes, written
 * after the bytes themselves. So a kill at any time leaves no byte counted that is not there, and at most what was in
 * flight is fetched again.
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

  static async open(partial: string, identity: FileIdentity): Promise<SegmentLog> {
    const { segments, segmentBytes, known } = await readLog(partial, identity);
    const handle = await open(rangesFile(partial), constants.O_RDWR | constants.O_CREAT);
    if (!known) {
      await handle.truncate(0);
      await handle.write(headOf(identity), 0, headBytes, 0);
    }
    return new SegmentLog(segments, segmentBytes, handle);
  }

  /** What to write after the bytes of a segment up to `end`, and where in the log. */
  entry({ start }: Segment, end: number): { place: number; counts: Uint8Array } {
    return { place: headBytes + (start / this.#segmentBytes) * 8, counts: asBytes(end - start) };
  }

  get done(): number {
    return sumOf(this.segments);
  }

  get missing(): Segment[] {
    return this.segments.filter((segment) => segment.done < segment.length);
  }

  /** Bytes from the start of the file without a gap. */
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

/** How many bytes of a file are here from earlier attempts. */
export async function bytesHere(partial: string, identity: FileIdentity): Promise<number> {
  return sumOf((await readLog(partial, identity)).segments);
}

async function readLog(partial: string, identity: FileIdentity) {
  const { size } = identity;
  const segmentBytes = segmentOf(identity);
  // Without the part its log counts bytes that are gone.
  if (!(await stat(partial).catch(() => undefined))) await rm(rangesFile(partial), { force: true });
  const old = await readFile(rangesFile(partial)).catch(() => Buffer.alloc(0));
  const known = identity.content !== null && old.subarray(0, headBytes).equals(headOf(identity));
  const count = size === null ? 1 : Math.max(1, Math.ceil(size / segmentBytes));
  const segments = Array.from({ length: count }, (_, index): Segment => {
    const start = index * segmentBytes;
    const length = Math.min(segmentBytes, (size ?? segmentBytes) - start);
    const place = headBytes + index * 8;
    const done = known && old.length >= place + 8 ? Number(old.readBigUInt64LE(place)) : 0;
    return { start, length, done: Math.min(done, length) };
  });
  return { segments, segmentBytes, known };
}

const segmentOf = ({ size, segmentBytes = usualSegment }: FileIdentity) =>
  size === null ? Number.MAX_SAFE_INTEGER : Math.max(segmentBytes, Math.ceil(size / mostSegments));

function headOf(identity: FileIdentity): Buffer {
  const named = createHash('sha256').update(JSON.stringify([identity.content, identity.size]));
  return Buffer.concat([asBytes(segmentOf(identity)), named.digest()]);
}

const sumOf = (segments: readonly Segment[]) => segments.reduce((sum, segment) => sum + segment.done, 0);

function asBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
