import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type AnswerListener, AnswerReader } from '../../platform/wire/answer-reader.ts';
import type { HeaderPairs } from '../../platform/wire/head.ts';
import { openSocket, type TcpAddress } from '../../platform/wire/open-socket.ts';
import { isShort, type Piece } from '../../platform/wire/piece.ts';

/**
 * Why a call failed: `closed`, `not_http`, `connect_timeout`, `first_byte_timeout`, `idle_timeout`, `body_failed`, or
 * a system error code such as `ECONNREFUSED`.
 */
export type CallFailure = string;

/** Receives the progress of a request. `onEnd` and `onFailure` are final. */
export interface CallListener extends AnswerListener {
  /** Everything that arrived together has been reported: a good moment to write. False pauses the connection. */
  onPause(): boolean;
  onFailure(why: CallFailure): void;
}

interface PodRequest {
  /** Request line and headers, including the empty line. */
  head: string;
  body: Buffer | Readable;
  /** Whether a streamed body is sent in chunks, because its length is unknown. */
  chunked: boolean;
}

/** How long an idle connection may be reused if the pod gave no `keep-alive` hint. */
const idleLimit = 4000;
/** A connection is not reused this shortly before the pod said it would close it. */
const hintMargin = 1000;

/**
 * The buffer that all plain connections read into, since thousands of streams would otherwise need one each. Secure
 * connections don't share it: Node does not promise that TLS delivers nothing while another connection is being read.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536);

/** A connection to a pod that carries one request at a time. */
export class PodConnection implements AnswerListener {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader(this);
  readonly #onClosed: (connection: PodConnection) => void;
  #listener: CallListener | undefined;
  #body: Readable | undefined;
  #connected = false;
  #heard = false;
  #paused = false;
  /** When bytes were last sent or received, by `performance.now()`. */
  #lastActive = 0;

  constructor(address: TcpAddress, connectTimeout: number, onClosed: (connection: PodConnection) => void) {
    this.#onClosed = onClosed;
    const callback = (length: number) => {
      this.#read(readBuffer, length);
      return true;
    };
    const reading = address.secure ? {} : { onread: { buffer: readBuffer, callback } };
    const socket = openSocket(address, { connectTimeout, ...reading });
    if (address.secure) socket.on('data', (bytes) => this.#read(bytes, bytes.length));
    this.#socket = socket;
    socket.once(address.secure ? 'secureConnect' : 'connect', () => {
      this.#connected = true;
    });
    socket.on('drain', () => this.#body?.resume());
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? 'failed'));
    socket.on('close', () => this.#closed());
  }

  /** Whether an idle connection can take a request: it is open, and the pod is unlikely to be closing it. */
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

  /** Whether the connection was ever established. If not, the pod has seen nothing of the request. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Whether the pod has sent any bytes since the request was sent. */
  get heard(): boolean {
    return this.#heard;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#lastActive = performance.now();
    this.#socket.resume();
  }

  /** Fails a call that has waited too long for its first byte, or for the next. */
  checkSilence(now: number, firstByte: number, idle: number): void {
    // While we wait for the caller to send the request or to read the response, the pod is not to blame.
    if (!this.#listener || this.#paused || this.#body?.isPaused() === false) return;
    const limit = this.#heard ? idle : firstByte;
    if (limit > 0 && now - this.#lastActive >= limit) {
      this.#fail(this.#heard ? 'idle_timeout' : 'first_byte_timeout');
    }
  }

  /** Closes the connection without telling the listener. */
  destroy(): void {
    this.#listener = undefined;
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
    // The pod answered before the end of the request: it may take the rest for the next request, or never read it.
    const isSent = !this.#body && this.#socket.writableLength === 0;
    if (!isSent || !this.#reader.reusable) this.destroy();
    listener?.onEnd();
  }

  get reusable(): boolean {
    return !this.#socket.destroyed;
  }

  #read(bytes: Buffer, end: number) {
    const listener = this.#listener;
    // No request is pending, so these bytes would be taken for the next response.
    if (!listener) return this.destroy();
    this.#heard = true;
    this.#lastActive = performance.now();
    if (!this.#feed(bytes, end)) this.#fail('not_http');
    const keepsUp = listener.onPause();
    // If the response is complete, the connection may already serve another call.
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
