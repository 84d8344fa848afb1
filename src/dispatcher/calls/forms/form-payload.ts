import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Payload } from '../payload.ts';
import type { Place } from './form-scanner.ts';

/** The part of a form that had to be read to route it: in memory while it is small, in a file beyond that. */
export class HeldForm {
  readonly #limit: number;
  readonly #path: string;
  #chunks: Buffer[] = [];
  #inMemory = 0;
  #file: WriteStream | undefined;

  constructor(limit: number, folder: string, name: string) {
    this.#limit = limit;
    this.#path = join(folder, `form-${name.replaceAll(/[^\w-]/g, '_')}-${process.hrtime.bigint()}`);
  }

  /** Returns a promise where the reader should wait until the file has taken what it was given. */
  add(chunk: Buffer): Promise<void> | undefined {
    if (!this.#file) {
      this.#chunks.push(chunk);
      this.#inMemory += chunk.length;
      if (this.#inMemory <= this.#limit) return undefined;
      // What goes wrong is told to each write, below.
      this.#file = createWriteStream(this.#path, { mode: 0o600, flags: 'wx' }).on('error', () => undefined);
      chunk = Buffer.concat(this.#chunks);
      this.#chunks = [];
    }
    const file = this.#file;
    return new Promise((resolve, reject) => {
      file.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  async *read(): AsyncGenerator<Buffer> {
    if (this.#file) yield* createReadStream(this.#path);
    else yield* this.#chunks;
  }

  dispose(): void {
    this.#chunks = [];
    if (!this.#file) return;
    // Not before it is closed: it may not even have been opened yet.
    const remove = () => unlink(this.#path).catch(() => undefined);
    if (this.#file.closed) void remove();
    else this.#file.once('close', remove).destroy();
  }
}

interface FormParts {
  held: HeldForm;
  /** Whether `held` is all of it. */
  complete: boolean;
  request: Readable;
  /** Its length, as the caller announced it. */
  announced: string | undefined;
  model: string;
  modelPlace: Place;
}

/** A form on its way through: what was held, then the rest as it arrives. */
export class FormPayload implements Payload {
  readonly model: string;
  readonly stream = false;
  readonly prompt = undefined;
  /** The size of a recording says nothing about tokens. */
  readonly promptTokens = 0;
  readonly maxTokens = 0;
  length: number | undefined;
  readonly #parts: FormParts;
  #restIsGone = false;

  constructor(parts: FormParts) {
    this.#parts = parts;
    this.model = parts.model;
  }

  /** The rest of a form that has been passed on is gone: it can't be sent to another pod. */
  canSend(): boolean {
    return this.#parts.complete || !this.#restIsGone;
  }

  bodyFor(name: string): Readable {
    const replacement = Buffer.from(name);
    const { start, end } = this.#parts.modelPlace;
    const { announced } = this.#parts;
    this.length =
      announced === undefined ? undefined : Number(announced) - (end - start) + replacement.length;
    return Readable.from(replaced(this.#bytes(), this.#parts.modelPlace, replacement), { objectMode: false });
  }

  dispose(): void {
    this.#parts.held.dispose();
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    yield* this.#parts.held.read();
    if (this.#parts.complete) return;
    this.#restIsGone = true;
    yield* this.#parts.request.iterator({ destroyOnReturn: false });
  }
}

async function* replaced(
  bytes: AsyncIterable<Buffer>,
  { start, end }: Place,
  by: Buffer,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of bytes) {
    const [first, last] = [start - offset, end - offset];
    offset += chunk.length;
    if (last < 0 || first >= chunk.length) {
      yield chunk;
      continue;
    }
    if (first > 0) yield chunk.subarray(0, first);
    if (first >= 0) yield by;
    if (last < chunk.length) yield chunk.subarray(Math.max(0, last));
  }
}
