import { connect as connectPlain, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Unavailable } from '../../../contracts/problems.ts';
import { isThatRange, type RangeRequest, requestHead, staysOpen } from './direct-head.ts';

export interface DirectRead extends RangeRequest {
  signal: AbortSignal;
  /** Counts bytes as they come. */
  onArrival(count: number): void;
  /** Takes the next bytes, in shared memory, after those before; when it resolves they may be overwritten. */
  write(position: number, bytes: Buffer): Promise<void>;
}

interface Exchange {
  request: DirectRead;
  head: string | undefined;
  /** Where the next bytes belong in the file. */
  position: number;
  outcome: PromiseWithResolvers<boolean>;
}

const bufferBytes = 2 ** 20;
/** With so many being written the socket is paused. */
const mostBusy = 5;
const longestHead = 2 ** 16;

/**
 * Reads ranges, one after another, straight from a socket into buffers that are used again: an HTTP client makes
 * a new one for every 64 kB, which costs seven times the work and twice the memory.
 */
export class DirectConnection {
  readonly #free: Buffer[] = [];
  /** The buffer that is being filled, from where to where, and how many others are being written. */
  #buffer = newBuffer();
  #start = 0;
  #filled = 0;
  #busy = 0;
  #lastWrite = Promise.resolve();
  #socket: Socket | undefined;
  #origin = '';
  #exchange: Exchange | undefined;

  /**
   * True when the range has come and is being written. False where the answer is not simply that range: nothing has been
   * written then, and a real client finds out why.
   */
  async read(request: DirectRead): Promise<boolean> {
    const { signal, url } = request;
    const reused = this.#socket !== undefined && this.#origin === url.origin;
    const socket = reused && this.#socket ? this.#socket : await this.#connect(url);
    signal.throwIfAborted();
    const outcome = Promise.withResolvers<boolean>();
    const exchange: Exchange = { request, head: undefined, position: request.first, outcome };
    this.#exchange = exchange;
    const stop = () => this.#fail(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      socket.write(requestHead(request));
      const whole = await outcome.promise;
      if (!whole || !staysOpen(exchange.head ?? '')) this.close();
      return whole;
    } catch (error) {
      this.close();
      await this.#lastWrite.catch(() => {});
      // A server may let go of a connection between two requests.
      const stale = reused && this.#filled === 0 && exchange.head === undefined && !signal.aborted;
      if (!stale) throw error;
    } finally {
      this.#exchange = undefined;
      signal.removeEventListener('abort', stop);
    }
    return this.read(request);
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  async #connect(url: URL): Promise<Socket> {
    this.close();
    await this.#lastWrite.catch(() => {});
    this.#start = 0;
    this.#filled = 0;
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
    const lost = (error: Error) => {
      if (this.#socket !== socket) return;
      this.#fail(error);
      this.close();
    };
    socket.on('error', lost);
    socket.once('close', () => lost(new Unavailable(`${url.host} ended early`)));
    this.#socket = socket;
    this.#origin = url.origin;
    return socket;
  }

  /** False pauses the socket. */
  #take(count: number): boolean {
    const exchange = this.#exchange;
    const missing = exchange ? exchange.request.last + 1 - exchange.position : 0;
    if (!exchange || missing === 0) {
      // Nobody has asked for it.
      this.close();
      return false;
    }
    this.#filled += count;
    exchange.request.onArrival(count);
    if (exchange.head === undefined && !this.#readHead(exchange)) return true;
    const end = this.#start + missing;
    if (this.#filled > end) {
      this.#filled = end;
      this.close();
    }
    if (this.#filled === Math.min(end, bufferBytes)) this.#handOver(exchange);
    return this.#busy < mostBusy;
  }

  /** True once the body of the right answer has begun. */
  #readHead(exchange: Exchange): boolean {
    const buffer = this.#buffer;
    const end = buffer.subarray(0, this.#filled).indexOf('\r\n\r\n');
    if (end < 0 && this.#filled < longestHead) return false;
    exchange.head = end < 0 ? '' : buffer.toString('latin1', 0, end);
    if (!isThatRange(exchange.head, exchange.request)) {
      this.close();
      exchange.outcome.resolve(false);
      return false;
    }
    this.#start = end + 4;
    return true;
  }

  /** The buffer is written, and the next one takes its turn. */
  #handOver(exchange: Exchange): void {
    const { request, position, outcome } = exchange;
    const buffer = this.#buffer;
    const bytes = buffer.subarray(this.#start, this.#filled);
    // More may come although the socket is paused: TLS gives what it has read.
    this.#buffer = this.#free.pop() ?? newBuffer();
    this.#start = 0;
    this.#filled = 0;
    this.#busy++;
    exchange.position += bytes.length;
    this.#lastWrite = request.write(position, bytes).finally(() => {
      this.#free.push(buffer);
      if (this.#busy-- === mostBusy) this.#socket?.resume();
    });
    this.#lastWrite.catch(outcome.reject);
    if (exchange.position > request.last) outcome.resolve(true);
  }

  /** What is in the buffer still counts. */
  #fail(error: unknown): void {
    const exchange = this.#exchange;
    if (exchange?.head !== undefined && this.#filled > this.#start) this.#handOver(exchange);
    exchange?.outcome.reject(error);
  }
}

function newBuffer(): Buffer {
  return Buffer.from(new SharedArrayBuffer(bufferBytes));
}
