import { Readable } from 'node:stream';
import { BadRequest, PayloadTooLarge } from '../../../contracts/problems.ts';
import type { TransportAnswer, TransportRequest } from '../../../platform/inference/sending/transport.ts';
import { cutOff } from '../../../platform/inference/sending/transport-problems.ts';
import { type HeaderPairs, headerOf } from '../../../platform/wire/head.ts';
import type { Piece } from '../../../platform/wire/piece.ts';
import type { Call, CallOwner } from '../../wire/call.ts';

/** Bytes of the answer that are held for a caller that does not keep up. The pod is not read from beyond that. */
const mostHeld = 65_536;

/** A request from inside this process: its answer goes to the caller without a socket in between. */
export class LocalCall implements Call {
  readonly headers: HeaderPairs;
  /** The answer, as soon as its head is there. */
  readonly answer: Promise<TransportAnswer>;
  readonly isRead = true;
  begun = false;
  over = false;
  owner: CallOwner | undefined;
  readonly #request: TransportRequest;
  readonly #head = Promise.withResolvers<TransportAnswer>();
  readonly #onOver: (call: LocalCall) => void;
  #upload: Readable | undefined;
  #pieces: Piece[] = [];
  #held = 0;
  #failure: { error: unknown } | undefined;
  #wake = () => {};

  constructor(request: TransportRequest, onOver: (call: LocalCall) => void) {
    this.#request = request;
    this.#onOver = onOver;
    this.headers = Object.entries(request.headers).flat();
    this.answer = this.#head.promise;
    request.signal.addEventListener('abort', this);
  }

  /** Called by the signal. The object itself is the listener, so that no function is made for each request. */
  handleEvent(): void {
    this.fail(this.#request.signal.reason);
  }

  /** The body of a form, as a stream. */
  get upload(): Readable {
    if (this.#upload) return this.#upload;
    const { body = Buffer.alloc(0) } = this.#request;
    this.#upload = Readable.from(body instanceof Uint8Array ? [body] : body, { objectMode: false });
    this.#upload.on('error', (error) => this.fail(error));
    return this.#upload;
  }

  readBody(limit: number): void {
    const { body } = this.#request;
    if (!(body instanceof Uint8Array)) this.owner?.refuse(new BadRequest('this body must be sent whole'));
    else if (body.length > limit) this.owner?.refuse(tooLarge(limit));
    else this.owner?.receive(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  }

  begin(status: number, headers: HeaderPairs): void {
    this.begun = true;
    this.#head.resolve({ status, header: (name) => headerOf(headers, name), body: this.#read() });
  }

  write(piece: Piece): void {
    if (this.over) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
  }

  flush(): boolean {
    this.#wake();
    return this.#held < mostHeld || this.over;
  }

  end(): void {
    if (this.over) return;
    this.#close();
    this.#wake();
  }

  cut(): void {
    this.fail(cutOff());
  }

  /** Ends the call without an answer, or in the middle of one. */
  fail(error: unknown): void {
    if (this.over) return;
    this.#failure = { error };
    this.#close();
    this.#head.reject(error);
    this.#wake();
    this.owner?.abandon();
  }

  #close(): void {
    this.over = true;
    this.#request.signal.removeEventListener('abort', this);
    this.#upload?.destroy();
    this.#onOver(this);
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        this.#request.signal.throwIfAborted();
        if (this.#pieces.length > 0) yield this.#take();
        else if (this.#failure) throw this.#failure.error;
        else if (this.over) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      // The reader has left before the end.
      if (!this.over) this.fail(cutOff());
    }
  }

  #take(): Uint8Array {
    const [first, ...others] = this.#pieces.map(bytesOf);
    const stopped = this.#held >= mostHeld;
    this.#pieces = [];
    this.#held = 0;
    if (stopped && !this.over) this.owner?.resume();
    return others.length === 0 ? (first as Buffer) : Buffer.concat([first as Buffer, ...others]);
  }
}

function bytesOf(piece: Piece): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
}

function tooLarge(limit: number): PayloadTooLarge {
  return new PayloadTooLarge(`the request body is larger than the ${limit} bytes this server accepts`);
}
