import { connect as connectPlain, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Unavailable } from '../../../contracts/problems.ts';

export interface DirectRequest {
  url: URL;
  headers: Record<string, string>;
  first: number;
  last: number;
  signal: AbortSignal;
  /** Counts bytes as they come. */
  onArrival(count: number): void;
  /** Takes the next bytes; the buffer is used again once it has resolved. */
  write(buffer: Buffer, count: number): Promise<void>;
}

const bufferBytes = 2 ** 20;
const longestHead = 2 ** 16;

/**
 * Reads a range over a connection of its own, straight from the socket into two buffers that take turns: an HTTP
 * client makes a new one for every 64 kB, which costs seven times the work and twice the memory. False where the
 * answer is not simply that range; nothing has been written then, and a real client finds out why.
 */
export function readDirectly(request: DirectRequest): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const read = new DirectRead(request, resolve, reject);
    read.start();
  });
}

class DirectRead {
  readonly #request: DirectRequest;
  readonly #resolve: (whole: boolean) => void;
  readonly #reject: (error: unknown) => void;
  readonly #buffers = [Buffer.allocUnsafe(bufferBytes), Buffer.allocUnsafe(bufferBytes)] as const;
  #turn: 0 | 1 = 0;
  #filled = 0;
  #left: number;
  #inBody = false;
  #ended = false;
  #writing = Promise.resolve();
  #pending = 0;
  #socket: Socket | undefined;

  constructor(request: DirectRequest, resolve: (whole: boolean) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#left = request.last - request.first + 1;
  }

  start(): void {
    const { url, signal } = this.#request;
    const onread: OnReadOpts = {
      buffer: () => this.#buffer.subarray(this.#filled),
      callback: (count) => this.#take(count),
    };
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const socket =
      url.protocol === 'https:'
        ? // The typings lack `onread` here; the socket has it.
          connectTls({ host, servername: host, port: Number(url.port || 443), ...{ onread } })
        : connectPlain({ host, port: Number(url.port || 80), onread });
    this.#socket = socket;
    const stop = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('error', (error) => this.#end(error));
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      this.#end(new Unavailable(`${url.host} ended early`));
    });
    if (signal.aborted) stop();
    else socket.write(this.#head());
  }

  get #buffer(): Buffer {
    return this.#buffers[this.#turn];
  }

  #head(): string {
    const { url, first, last, headers } = this.#request;
    const lines = Object.entries({
      host: url.host,
      'user-agent': 'roundhouse',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      range: `bytes=${first}-${last}`,
      ...headers,
    });
    return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  }

  /** False pauses the socket. */
  #take(count: number): boolean {
    if (this.#ended) return false;
    this.#filled += count;
    this.#request.onArrival(count);
    if (!this.#inBody && !this.#readHead()) return !this.#ended;
    if (this.#filled < this.#left && this.#filled < bufferBytes) return true;
    return this.#handOver();
  }

  /** True once the body has begun. */
  #readHead(): boolean {
    const seen = this.#buffer.subarray(0, this.#filled);
    const end = seen.indexOf('\r\n\r\n');
    if (end < 0 && this.#filled < longestHead) return false;
    const { first, last } = this.#request;
    const head = end < 0 ? '' : seen.toString('latin1', 0, end);
    const range = /^content-range:\s*bytes (\d+)-(\d+)\//im.exec(head);
    const simple =
      /^HTTP\/1\.[01] 206\b/.test(head) &&
      !/^(transfer|content)-encoding:/im.test(head) &&
      Number(range?.[1]) === first &&
      Number(range?.[2]) === last;
    if (!simple) {
      this.#finish(() => this.#resolve(false));
      return false;
    }
    this.#buffer.copyWithin(0, end + 4, this.#filled);
    this.#filled -= end + 4;
    this.#inBody = true;
    return true;
  }

  /** Gives the filled buffer to be written; the other one is next, once it is free. */
  #handOver(): boolean {
    const count = Math.min(this.#filled, this.#left);
    const buffer = this.#buffer;
    this.#left -= count;
    this.#filled = 0;
    this.#turn = this.#turn === 0 ? 1 : 0;
    const before = this.#writing;
    this.#pending++;
    this.#writing = before.then(() => this.#request.write(buffer, count)).finally(() => this.#pending--);
    this.#writing.catch((error) => this.#finish(() => this.#reject(error)));
    if (this.#left === 0) {
      this.#finish(() => this.#writing.then(() => this.#resolve(true), this.#reject));
      return false;
    }
    if (this.#pending < 2) return true;
    before.then(
      () => this.#socket?.resume(),
      () => {},
    );
    return false;
  }

  /** The connection is gone: what is in the buffer still counts. */
  #end(error: unknown): void {
    if (this.#ended) return;
    const count = this.#inBody ? Math.min(this.#filled, this.#left) : 0;
    const buffer = this.#buffer;
    this.#finish(() => {
      const last = this.#writing.then(() => (count > 0 ? this.#request.write(buffer, count) : undefined));
      last.then(() => this.#reject(error), this.#reject);
    });
  }

  #finish(settle: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket?.destroy();
    settle();
  }
}
