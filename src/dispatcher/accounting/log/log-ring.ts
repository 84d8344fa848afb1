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

/** The numbers of an entry, and the length of its id. */
const entryNumbers = 13;
/** Maximum length of a request id (`platform/http/requests/request-id.ts`). */
const idBytes = 128;
const slots = 8192;
const slotNumbers = entryNumbers + idBytes / 8;
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
    // Written out, because access by a computed name takes several times as long.
    const at = (written & (slots - 1)) * slotNumbers;
    const numbers = this.#numbers;
    numbers[at] = entry.time;
    numbers[at + 1] = entry.path;
    numbers[at + 2] = entry.model;
    numbers[at + 3] = entry.key;
    numbers[at + 4] = entry.pod;
    numbers[at + 5] = entry.failure;
    numbers[at + 6] = entry.status;
    numbers[at + 7] = entry.milliseconds;
    numbers[at + 8] = entry.queuedMilliseconds;
    numbers[at + 9] = entry.firstByteMilliseconds;
    numbers[at + 10] = entry.promptTokens;
    numbers[at + 11] = entry.completionTokens;
    numbers[at + 12] = this.#bytes.write(entry.requestId, (at + entryNumbers) * 8, idBytes, 'latin1');
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
    const at = (position & (slots - 1)) * slotNumbers;
    const number = (offset: number) => this.#numbers[at + offset] as number;
    const id = (at + entryNumbers) * 8;
    const entry: LogEntry = {
      time: number(0),
      path: number(1),
      model: number(2),
      key: number(3),
      pod: number(4),
      failure: number(5),
      status: number(6),
      milliseconds: number(7),
      queuedMilliseconds: number(8),
      firstByteMilliseconds: number(9),
      promptTokens: number(10),
      completionTokens: number(11),
      requestId: this.#bytes.toString('latin1', id, id + number(12)),
    };
    Atomics.store(this.#control, tail, (position + 1) | 0);
    return entry;
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
