import { Unavailable } from '../../../contracts/problems.ts';
import { abandon } from '../http/close-answer.ts';
import type { HttpAnswer } from '../http/open-address.ts';
import type { PartialFile } from './partial-file.ts';
import { extentOf } from './remote-file.ts';
import type { Segment } from './segments.ts';

/** Written and counted in pieces of this size, so a kill loses at most this much per connection. */
const pieceBytes = 2 ** 20;

interface PourOptions {
  signal: AbortSignal;
  onArrival(bytes: number): void;
}

/**
 * Writes the body of an answer into segments, in the order of the file; bytes that are on disk already are skipped.
 * What has arrived before a failure is on disk and counted. A segment without an end takes all that comes.
 */
export async function pour(
  answer: HttpAnswer,
  segments: readonly Segment[],
  file: PartialFile,
  { signal, onArrival }: PourOptions,
): Promise<void> {
  const waiting = [...segments];
  let position = extentOf(answer).first;
  let piece = nextPiece(waiting, file);
  const stop = () => abandon(answer);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      onArrival(chunk.length);
      for (let rest = chunk; piece && rest.length > 0; ) {
        const skipped = Math.min(rest.length, Math.max(0, piece.position - position));
        const taken = await piece.add(rest.subarray(skipped));
        position += skipped + taken;
        rest = rest.subarray(skipped + taken);
        if (piece.isWhole) piece = nextPiece(waiting, file);
      }
      if (!piece) break;
    }
    await piece?.flush();
    piece?.end();
  } catch (error) {
    await piece?.flush();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    abandon(answer);
  }
  if (piece && !piece.isWhole) throw new Unavailable(`${new URL(answer.url).host} ended early`);
}

function nextPiece(waiting: Segment[], file: PartialFile): Piece | undefined {
  const segment = waiting.shift();
  return segment && new Piece(segment, file);
}

/** Collects what arrives for a segment, so that it is written in few, large writes. */
class Piece {
  readonly #segment: Segment;
  readonly #file: PartialFile;
  readonly #buffer = Buffer.from(new SharedArrayBuffer(pieceBytes));
  #filled = 0;

  constructor(segment: Segment, file: PartialFile) {
    this.#segment = segment;
    this.#file = file;
  }

  /** Where in the file the next byte belongs. */
  get position(): number {
    const { start, done } = this.#segment;
    return start + done + this.#filled;
  }

  get isWhole(): boolean {
    return this.#segment.done === this.#segment.length;
  }

  /** Returns how many of the bytes belong to this segment. */
  async add(chunk: Buffer): Promise<number> {
    let taken = 0;
    while (taken < chunk.length && !this.isWhole) {
      const room = Math.min(pieceBytes, this.#segment.length - this.#segment.done);
      const count = chunk.copy(this.#buffer, this.#filled, taken, taken + room - this.#filled);
      this.#filled += count;
      taken += count;
      if (this.#filled === room) await this.flush();
    }
    return taken;
  }

  async flush(): Promise<void> {
    const { position } = this;
    const bytes = this.#buffer.subarray(0, this.#filled);
    if (bytes.length === 0) return;
    this.#filled = 0;
    await this.#file.write(this.#segment, position - bytes.length, bytes);
  }

  /** A segment of unknown length is whole when the server has sent all it has. */
  end(): void {
    if (this.#segment.length === Number.MAX_SAFE_INTEGER) this.#segment.length = this.#segment.done;
  }
}
