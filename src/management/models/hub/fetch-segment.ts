import type { FileHandle } from 'node:fs/promises';
import { OutOfSpace, Problem, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { readDirectly } from './direct-read.ts';
import { abandon, type HubAnswer } from './hub-request.ts';
import type { Segment, SegmentLog } from './segments.ts';

export interface SegmentSource {
  /** Opens the file from a byte to another, the last one included. */
  open(first: number, last: number, signal: AbortSignal): Promise<HubAnswer>;
  /** Where the bytes can be read over a plain connection; null where that must be left to the HTTP client. */
  address(signal: AbortSignal): Promise<{ url: URL; headers: Record<string, string> } | null>;
  size: number;
}

export interface Pace {
  /** A connection that brings fewer than `leastBytes` in so many milliseconds is given up and made anew. */
  stallAfter: number;
  leastBytes: number;
}

export const usualPace: Pace = { stallAfter: 20_000, leastBytes: 64 * 2 ** 10 };

/** Written and counted in pieces of this size: what a kill can cost is this much for each connection. */
const pieceBytes = 2 ** 20;
/** A part smaller than this is not worth a connection of its own. */
const worthAConnection = 2 ** 18;

export interface Target {
  handle: FileHandle;
  log: SegmentLog;
  /** A piece that has been written at this place of the file; its buffer may be used again afterwards. */
  onPiece(position: number, bytes: Buffer): void;
  /** Bytes that are on disk. */
  onBytes(count: number): void;
  /** Bytes that one read of a connection brought. */
  onRead(count: number): void;
}

/** Fetches what is missing of one segment. What has arrived before a failure is on disk and counted. */
export async function fetchSegment(
  source: SegmentSource,
  segment: Segment,
  target: Target,
  { pace, signal }: { pace: Pace; signal: AbortSignal },
): Promise<void> {
  const first = segment.start + segment.done;
  const last = segment.start + segment.length - 1;
  const slow = new AbortController();
  const both = AbortSignal.any([signal, slow.signal]);
  let arrived = 0;
  let seen = 0;
  const watch = setInterval(() => {
    if (arrived - seen < pace.leastBytes) slow.abort();
    seen = arrived;
  }, pace.stallAfter);
  try {
    const onArrival = (count: number) => {
      arrived += count;
      target.onRead(count);
    };
    if (await fetchDirectly(source, segment, target, { onArrival, signal: both })) return;
    const answer = await source.open(first, last, both);
    let skip = bytesBefore(answer, first, last, source.size);
    const pieces = new Pieces(segment, target);
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        onArrival(chunk.length);
        const useful = skip > 0 ? chunk.subarray(skip) : chunk;
        skip = Math.max(0, skip - chunk.length);
        if (await pieces.add(useful)) break;
      }
    } finally {
      abandon(answer);
      await pieces.flush();
    }
    if (segment.done < segment.length) throw new Unavailable(`${new URL(answer.url).host} ended early`);
  } catch (error) {
    signal.throwIfAborted();
    throw toProblem(error, slow.signal.aborted);
  } finally {
    clearInterval(watch);
  }
}

async function fetchDirectly(
  source: SegmentSource,
  segment: Segment,
  target: Target,
  watched: { signal: AbortSignal; onArrival(count: number): void },
): Promise<boolean> {
  if (segment.length - segment.done < worthAConnection) return false;
  const address = await source.address(watched.signal);
  if (!address) return false;
  return readDirectly({
    ...address,
    ...watched,
    first: segment.start + segment.done,
    last: segment.start + segment.length - 1,
    write: async (buffer, count) => {
      const position = segment.start + segment.done;
      await writeWhole(target.handle, buffer, count, position);
      target.onPiece(position, buffer.subarray(0, count));
      await target.log.advance(segment, count);
      target.onBytes(count);
    },
  });
}

async function writeWhole(
  handle: FileHandle,
  buffer: Buffer,
  count: number,
  position: number,
): Promise<void> {
  for (let done = 0; done < count; ) {
    done += (await handle.write(buffer, done, count - done, position + done)).bytesWritten;
  }
}

/** Bytes of the answer that lie before what we want: a server without ranges sends all of them. */
function bytesBefore(answer: HubAnswer, first: number, last: number, size: number): number {
  if (answer.status === 200) return first;
  const range = answer.headers['content-range'];
  if (answer.status === 206 && range?.startsWith(`bytes ${first}-${last}/`)) return 0;
  abandon(answer);
  throw new UpstreamFailed(
    `${new URL(answer.url).host} sent '${range}' of ${size} bytes instead of ${first}-${last}`,
  );
}

/** Gathers what arrives, so that it is written in few, large strokes. */
class Pieces {
  readonly #segment: Segment;
  readonly #target: Target;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(segment: Segment, target: Target) {
    this.#segment = segment;
    this.#target = target;
  }

  /** True once the segment is whole. */
  async add(chunk: Buffer): Promise<boolean> {
    const room = this.#segment.length - this.#segment.done - this.#bytes;
    const piece = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (piece.length > 0) this.#chunks.push(piece);
    this.#bytes += piece.length;
    const whole = this.#bytes === this.#segment.length - this.#segment.done;
    if (whole || this.#bytes >= pieceBytes) await this.flush();
    return whole;
  }

  async flush(): Promise<void> {
    const { handle, log, onBytes } = this.#target;
    let chunks = this.#chunks;
    const bytes = this.#bytes;
    let position = this.#segment.start + this.#segment.done;
    this.#chunks = [];
    this.#bytes = 0;
    for (let left = bytes; left > 0; ) {
      const { bytesWritten } = await handle.writev(chunks, position);
      left -= bytesWritten;
      position += bytesWritten;
      if (left > 0) chunks = [Buffer.concat(chunks).subarray(bytesWritten)];
    }
    if (bytes === 0) return;
    await log.advance(this.#segment, bytes);
    onBytes(bytes);
  }
}

function toProblem(error: unknown, tooSlow: boolean): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new OutOfSpace(
      'the disk is full; what has arrived is kept, and adding the model again goes on from there',
      {
        cause: error,
      },
    );
  }
  if (tooSlow) return new Unavailable('the connection brought nearly nothing for too long', { cause: error });
  if (error instanceof Problem) return error;
  return new Unavailable(`the connection was cut (${code ?? message})`, { cause: error });
}
