import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { spoolPath } from '../../../platform/uploads/spool-folder.ts';
import type { BodyMemory } from '../../wire/body-memory.ts';
import type { Payload } from '../reading/payload.ts';
import type { Place } from './form-scanner.ts';

interface HoldingSettings {
  /** Bytes that are held in memory at most. */
  limit: number;
  bodies: BodyMemory;
  folder: string;
}

/** The part of a form that had to be read to route it: in memory while it is small, in a file beyond that. */
export class HeldForm {
  readonly #limit: number;
  readonly #bodies: BodyMemory;
  readonly #path: string;
  #chunks: Buffer[] = [];
  #inMemory = 0;
  #file: WriteStream | undefined;

  constructor({ limit, bodies, folder }: HoldingSettings) {
    this.#limit = limit;
    this.#bodies = bodies;
    this.#path = spoolPath(folder);
  }

  /** Returns a promise where the reader should wait until the file has taken what it was given. */
  add(chunk: Buffer): Promise<void> | undefined {
    if (!this.#file) {
      this.#chunks.push(chunk);
      if (this.#inMemory + chunk.length <= this.#limit && this.#bodies.take(chunk.length)) {
        this.#inMemory += chunk.length;
        return undefined;
      }
      // Errors are reported to each write below.
      this.#file = createWriteStream(this.#path, { mode: 0o600, flags: 'wx' }).on('error', () => undefined);
      chunk = Buffer.concat(this.#chunks);
      this.#empty();
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
    this.#empty();
    if (!this.#file) return;
    // It must be closed first: it may not have been opened yet.
    const remove = () => unlink(this.#path).catch(() => undefined);
    if (this.#file.closed) void remove();
    else this.#file.once('close', remove).destroy();
  }

  #empty(): void {
    this.#chunks = [];
    this.#bodies.give(this.#inMemory);
    this.#inMemory = 0;
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
