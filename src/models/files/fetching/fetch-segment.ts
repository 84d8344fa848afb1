import { Problem, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { abandon, type HubAnswer } from '../../hub/hub-request.ts';
import type { DirectConnection } from './direct-connection.ts';
import type { PartialFile } from './partial-file.ts';
import type { Segment } from './segments.ts';

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
  file: PartialFile;
  /** Bytes that one read of a connection brought. */
  onRead(count: number): void;
}

export interface SegmentOptions {
  connection: DirectConnection;
  pace: Pace;
  signal: AbortSignal;
}

/** Fetches what is missing of one segment. What has arrived before a failure is on disk and counted. */
export async function fetchSegment(
  source: SegmentSource,
  segment: Segment,
  target: Target,
  { connection, pace, signal }: SegmentOptions,
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
    if (await fetchDirectly(source, segment, target, { connection, onArrival, signal: both })) return;
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
  {
    connection,
    ...watched
  }: { connection: DirectConnection; signal: AbortSignal; onArrival(count: number): void },
): Promise<boolean> {
  if (segment.length - segment.done < worthAConnection) return false;
  const address = await source.address(watched.signal);
  if (!address) return false;
  return connection.read({
    ...address,
    ...watched,
    first: segment.start + segment.done,
    last: segment.start + segment.length - 1,
    write: (position, bytes) => target.file.write(segment, position, bytes),
  });
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
  readonly #buffer = Buffer.from(new SharedArrayBuffer(pieceBytes));
  #filled = 0;

  constructor(segment: Segment, target: Target) {
    this.#segment = segment;
    this.#target = target;
  }

  /** True once the segment is whole. */
  async add(chunk: Buffer): Promise<boolean> {
    const { length } = this.#segment;
    for (let taken = 0; taken < chunk.length && this.#segment.done < length; ) {
      const room = Math.min(pieceBytes, length - this.#segment.done);
      const count = chunk.copy(this.#buffer, this.#filled, taken, taken + room - this.#filled);
      this.#filled += count;
      taken += count;
      if (this.#filled === room) await this.flush();
    }
    return this.#segment.done === length;
  }

  async flush(): Promise<void> {
    const bytes = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    const { start, done } = this.#segment;
    if (bytes.length > 0) await this.#target.file.write(this.#segment, start + done, bytes);
  }
}

function toProblem(error: unknown, tooSlow: boolean): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (tooSlow) return new Unavailable('the connection brought nearly nothing for too long', { cause: error });
  if (error instanceof Problem) return error;
  return new Unavailable(`the connection was cut (${code ?? message})`, { cause: error });
}
