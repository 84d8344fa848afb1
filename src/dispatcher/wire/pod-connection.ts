import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type AnswerListener, AnswerReader } from './answer-reader.ts';
import type { HeaderPairs } from './head.ts';
import { openSocket, type PodAddress } from './open-socket.ts';
import { isShort, type Piece } from './piece.ts';

/**
 * Why a call failed: `closed`, `not_http`, `connect_timeout`, `first_byte_timeout`, `idle_timeout`, `body_failed`, or
 * the system's own word, such as `ECONNREFUSED`.
 */
export type CallFailure = string;

/** Told of what becomes of a request. After `onEnd` or `onFailure` comes nothing more. */
export interface CallListener extends AnswerListener {
  /** All that came together has been told: a good moment to write. False where no more is wanted for now. */
  onPause(): boolean;
  onFailure(why: CallFailure): void;
}

interface PodRequest {
  /** Request line and headers, up to the empty line. */
  head: string;
  body: Buffer | Readable;
  /** Whether a body of unknown length is framed in chunks. */
  chunked: boolean;
}

/** Without a hint of the pod's, an idle connection is used again within this time. */
const idleLimit = 4000;
/** A connection is not used any more this long before the pod said it closes it. */
const hintMargin = 1000;

/** A connection to a pod: one request at a time. */
export class PodConnection implements AnswerListener {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader(this);
  readonly #onClosed: (connection: PodConnection) => void;
  #listener: CallListener | undefined;
  #body: Readable | undefined;
  readonly #connecting: NodeJS.Timeout;
  #heard = false;
  #paused = false;
  /** When something was last sent or heard, and when it became idle, by `performance.now()`. */
  #lastActive = 0;

  constructor(address: PodAddress, connectTimeout: number, onClosed: (connection: PodConnection) => void) {
    this.#onClosed = onClosed;
    this.#connecting = setTimeout(() => this.#fail('connect_timeout'), connectTimeout);
    const socket = openSocket(
      address,
      () => clearTimeout(this.#connecting),
      (bytes, end) => this.#read(bytes, end),
    );
    this.#socket = socket.setNoDelay(true);
    socket.on('drain', () => this.#body?.resume());
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? 'failed'));
    socket.on('close', () => this.#closed());
  }

  /** Whether it can take a request: nothing is under way, and the pod will likely not have closed it. */
  isFresh(now: number): boolean {
    const { idleHint } = this.#reader;
    const idleFor = now - this.#lastActive;
    return this.#socket.writable && idleFor < (idleHint > 0 ? idleHint - hintMargin : idleLimit);
  }

  send({ head, body, chunked }: PodRequest, listener: CallListener): void {
    this.#listener = listener;
    this.#heard = false;
    this.#lastActive = performance.now();
    this.#reader.expect();
    if (Buffer.isBuffer(body)) this.#write(head, body);
    else this.#stream(head, body, chunked);
  }

  /** Whether the pod has said anything since the request was sent. */
  get heard(): boolean {
    return this.#heard;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#lastActive = performance.now();
    this.#socket.resume();
  }

  /** Ends a call that has waited too long for its first byte, or for the next. */
  checkSilence(now: number, firstByte: number, idle: number): void {
    // While the caller keeps the request waiting, or the answer, it is not the pod that is silent.
    if (!this.#listener || this.#paused || this.#body?.isPaused() === false) return;
    const limit = this.#heard ? idle : firstByte;
    if (limit > 0 && now - this.#lastActive >= limit) {
      this.#fail(this.#heard ? 'idle_timeout' : 'first_byte_timeout');
    }
  }

  /** Lets go of the call, silently, and of the connection with it. */
  destroy(): void {
    this.#listener = undefined;
    clearTimeout(this.#connecting);
    this.#body?.destroy();
    this.#socket.destroy();
  }

  onHead(status: number, headers: HeaderPairs): void {
    this.#listener?.onHead(status, headers);
  }

  onBody(piece: Piece): void {
    this.#listener?.onBody(piece);
  }

  onEnd(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    // An answer before the end of the request: the rest of it would be taken for the next one, or never be read at all.
    const isSent = !this.#body && this.#socket.writableLength === 0;
    if (!isSent || !this.#reader.reusable) this.destroy();
    listener?.onEnd();
  }

  get reusable(): boolean {
    return !this.#socket.destroyed;
  }

  #read(bytes: Buffer, end: number) {
    const listener = this.#listener;
    // Nothing was asked: what comes now would be taken for the next answer.
    if (!listener) return this.destroy();
    this.#heard = true;
    this.#lastActive = performance.now();
    if (!this.#feed(bytes, end)) this.#fail('not_http');
    const keepsUp = listener.onPause();
    // Once it is answered, the connection may serve another call already.
    if (keepsUp || this.#listener !== listener) return;
    this.#paused = true;
    this.#socket.pause();
  }

  /** An error in the reader would end the process: it counts as an answer that can't be read. */
  #feed(bytes: Buffer, end: number): boolean {
    try {
      return this.#reader.feed(bytes, end);
    } catch {
      return false;
    }
  }

  #write(head: string, body: Buffer): void {
    const socket = this.#socket;
    if (isShort(body)) {
      socket.write(head + body.toString('latin1'), 'latin1');
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  #stream(head: string, body: Readable, chunked: boolean): void {
    const socket = this.#socket;
    this.#body = body;
    socket.write(head, 'latin1');
    body.on('data', (bytes: Buffer) => {
      this.#lastActive = performance.now();
      if (chunked) socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
      const flowing = socket.write(bytes);
      if (chunked) socket.write('\r\n', 'latin1');
      if (!flowing) body.pause();
    });
    body.on('end', () => {
      this.#body = undefined;
      this.#lastActive = performance.now();
      if (chunked) socket.write('0\r\n\r\n', 'latin1');
    });
    body.on('error', () => this.#fail('body_failed'));
  }

  #fail(why: CallFailure): void {
    const listener = this.#listener;
    this.destroy();
    listener?.onFailure(why);
  }

  #closed(): void {
    this.#onClosed(this);
    if (!this.#reader.close()) this.#fail('closed');
  }
}
