import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type HeaderPairs, headerLines, headerOf } from '../../platform/wire/head.ts';
import { isShort, type Piece } from '../../platform/wire/piece.ts';
import type { Call, CallOwner } from './call.ts';

/** The connection that carries a request. */
export interface Carrier {
  readonly socket: Socket;
  /** Whether it is closed after this response. */
  readonly closing: boolean;
  /** Called when the response is complete. */
  answered(): void;
}

/** Longer than the idle timeout of common load balancers, so that they close first and never reuse a closed connection. */
export const keepAliveSeconds = 72;
const staying = `connection: keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}\r\n`;
const leaving = 'connection: close\r\n';

/** A request that is read from and answered on the socket directly. */
export class WireCall implements Call {
  readonly headers: HeaderPairs;
  readonly #carrier: Carrier;
  readonly #socket: Socket;
  #body: Buffer | undefined;
  #bodyWanted = false;
  begun = false;
  over = false;
  owner: CallOwner | undefined;
  #chunked = false;
  /** What is sent with the next write. */
  #text = '';
  #flowing = true;

  constructor(carrier: Carrier, headers: HeaderPairs) {
    this.#carrier = carrier;
    this.#socket = carrier.socket;
    this.headers = headers;
  }

  get isRead(): boolean {
    return this.#body !== undefined;
  }

  /** The body has arrived. */
  receive(body: Buffer): void {
    this.#body = body;
    if (this.#bodyWanted) this.owner?.receive(body);
  }

  /** The caller closed the connection. */
  leave(): void {
    if (this.over) return;
    this.over = true;
    this.owner?.abandon();
  }

  /** There is no limit to check: the lane only takes requests whose announced length is within it. */
  readBody(): void {
    this.#bodyWanted = true;
    if (this.#body) this.owner?.receive(this.#body);
  }

  begin(status: number, headers: HeaderPairs, length: number | undefined): void {
    this.begun = true;
    const isEmpty = status === 204 || status === 304;
    this.#chunked = length === undefined && !isEmpty;
    this.#text =
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n` +
      headerLines(headers) +
      (headerOf(headers, 'date') === undefined ? `date: ${dateNow()}\r\n` : '') +
      (isEmpty
        ? ''
        : length === undefined
          ? 'transfer-encoding: chunked\r\n'
          : `content-length: ${length}\r\n`) +
      (this.#staysOpen() ? `${staying}\r\n` : `${leaving}\r\n`);
  }

  write(piece: Piece) {
    if (this.over) return;
    if (typeof piece !== 'string' && !isShort(piece)) return this.#writeLong(piece);
    const text = typeof piece === 'string' ? piece : piece.toString('latin1');
    this.#text += this.#chunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text;
  }

  flush(): boolean {
    this.#send(this.#text);
    this.#text = '';
    if (!this.#flowing && !this.over) this.#socket.once('drain', () => this.#drained());
    return this.#flowing || this.over;
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.#send(this.#chunked ? `${this.#text}0\r\n\r\n` : this.#text);
    this.#text = '';
    if (!this.#staysOpen()) this.#socket.end();
    this.#carrier.answered();
  }

  cut(): void {
    this.over = true;
    this.#socket.destroy();
  }

  #writeLong(bytes: Buffer): void {
    this.#socket.cork();
    this.#send(this.#chunked ? `${this.#text}${bytes.length.toString(16)}\r\n` : this.#text);
    this.#flowing = this.#socket.write(bytes);
    this.#text = this.#chunked ? '\r\n' : '';
    this.#socket.uncork();
  }

  #send(text: string): void {
    if (text !== '') this.#flowing = this.#socket.write(text, 'latin1');
  }

  #drained(): void {
    this.#flowing = true;
    this.owner?.resume();
  }

  #staysOpen(): boolean {
    return this.isRead && !this.#carrier.closing;
  }
}

let date = '';
let dateUntil = 0;

function dateNow(): string {
  const now = Date.now();
  if (now >= dateUntil) {
    date = new Date(now).toUTCString();
    dateUntil = now - (now % 1000) + 1000;
  }
  return date;
}
