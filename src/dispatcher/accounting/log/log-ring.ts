/** One request in the log. Repeated texts are stored as numbers (see `AccessLog`). */
export interface LogEntry {
  /** Milliseconds since 1970. */
  time: number;
  requestId: string;
  path: number;
  model: number;
  key: number;
  /** -1 in this and the following fields means absent. */
  pod: number;
  failure: number;
  status: number;
  milliseconds: number;
  queuedMilliseconds: number;
  firstByteMilliseconds: number;
  promptTokens: number;
  completionTokens: number;
}

const numbers = [
  'time',
  'path',
  'model',
  'key',
  'pod',
  'failure',
  'status',
  'milliseconds',
  'queuedMilliseconds',
  'firstByteMilliseconds',
  'promptTokens',
  'completionTokens',
] as const satisfies (keyof LogEntry)[];

/** Maximum length of a request id (`platform/http/requests/request-id.ts`). */
const idBytes = 128;
const slots = 8192;
const slotNumbers = numbers.length + 1 + idBytes / 8;
const controls = 4;
const [head, tail, closing, closed] = [0, 1, 2, 3] as const;

/**
 * A ring buffer in shared memory with one writer thread and one reader thread. A write takes about a dozen stores;
 * formatting a line would take a third of the dispatcher's time per request.
 */
export class LogRing {
  readonly buffer: SharedArrayBuffer;
  readonly #control: Int32Array;
  readonly #numbers: Float64Array;
  readonly #bytes: Buffer;

  constructor(buffer = new SharedArrayBuffer(controls * 4 + slots * slotNumbers * 8)) {
    this.buffer = buffer;
    this.#control = new Int32Array(buffer, 0, controls);
    this.#numbers = new Float64Array(buffer, controls * 4);
    this.#bytes = Buffer.from(buffer, controls * 4);
  }

  /** Returns false if the ring is full because the reader is too slow. */
  write(entry: LogEntry): boolean {
    const written = Atomics.load(this.#control, head);
    const waiting = (written - Atomics.load(this.#control, tail)) | 0;
    if (waiting >= slots) return false;
    const first = (written & (slots - 1)) * slotNumbers;
    for (let index = 0; index < numbers.length; index++) {
      this.#numbers[first + index] = entry[numbers[index] as (typeof numbers)[number]];
    }
    const length = this.#bytes.write(entry.requestId, (first + numbers.length + 1) * 8, idBytes, 'latin1');
    this.#numbers[first + numbers.length] = length;
    Atomics.store(this.#control, head, (written + 1) | 0);
    if (waiting === slots >> 1) Atomics.notify(this.#control, head);
    return true;
  }

  /** Number of unread entries. */
  get size(): number {
    return (Atomics.load(this.#control, head) - Atomics.load(this.#control, tail)) | 0;
  }

  /** Reads the oldest entry and frees its slot. */
  read(): LogEntry {
    const position = Atomics.load(this.#control, tail);
    const first = (position & (slots - 1)) * slotNumbers;
    const entry: Record<string, number | string> = {};
    for (let index = 0; index < numbers.length; index++) {
      entry[numbers[index] as string] = this.#numbers[first + index] as number;
    }
    const start = (first + numbers.length + 1) * 8;
    const length = this.#numbers[first + numbers.length] as number;
    entry.requestId = this.#bytes.toString('latin1', start, start + length);
    Atomics.store(this.#control, tail, (position + 1) | 0);
    return entry as unknown as LogEntry;
  }

  /** Blocks the reader until there may be entries to read or the ring is closing. */
  wait(milliseconds: number): void {
    if (this.closing) return;
    Atomics.wait(this.#control, head, Atomics.load(this.#control, head), milliseconds);
  }

  get closing(): boolean {
    return Atomics.load(this.#control, closing) === 1;
  }

  /** Asks the reader to write the remaining entries, and waits until it has. */
  close(milliseconds: number): void {
    Atomics.store(this.#control, closing, 1);
    Atomics.notify(this.#control, head);
    Atomics.wait(this.#control, closed, 0, milliseconds);
  }

  /** Called by the reader once it has written everything. */
  markClosed(): void {
    Atomics.store(this.#control, closed, 1);
    Atomics.notify(this.#control, closed);
  }
}
