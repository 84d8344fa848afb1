import type { OnReadOpts, Socket } from 'node:net';
import { Unavailable } from '../../../contracts/problems.ts';
import { type AnswerHead, readAnswerHead } from '../../../platform/wire/answer-head.ts';
import { addressOf, openSocket } from '../../../platform/wire/open-socket.ts';
import { isThatRange, type RangeRequest, requestHead } from './direct-head.ts';

export interface DirectRead extends RangeRequest {
  signal: AbortSignal;
  /** Counts bytes as they arrive. */
  onArrival(count: number): void;
  /** Writes the next bytes, which are in shared memory. They may be overwritten once it resolves. */
  write(position: number, bytes: Buffer): Promise<void>;
}

interface Exchange {
  request: DirectRead;
  head: AnswerHead | undefined;
  /** Where in the file the next bytes belong. */
  position: number;
  outcome: PromiseWithResolvers<boolean>;
}

const bufferBytes = 2 ** 20;
/** The socket is paused while this many buffers are being written. */
const mostBusy = 5;

/**
 * Reads ranges, one after another, straight from a socket into reused buffers. An HTTP client allocates a new buffer
 * for every 64 kB, which takes seven times the work and twice the memory.
 */
export class DirectConnection {
  readonly #free: Buffer[] = [];
  /** The buffer being filled, its used range, and how many other buffers are being written. */
  #buffer = newBuffer();
  #start = 0;
  #filled = 0;
  #busy = 0;
  #lastWrite = Promise.resolve();
  #socket: Socket | undefined;
  #origin = '';
  #exchange: Exchange | undefined;

  /**
   * True when the range has arrived and is being written. False if the response is anything but that range: nothing has
   * been written then, and the caller must ask again with a full HTTP client.
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
      if (!whole || !exchange.head?.keepsAlive) this.close();
      return whole;
    } catch (error) {
      this.close();
      await this.#lastWrite.catch(() => {});
      // A server may close a connection between two requests.
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
    const socket = openSocket(addressOf(url), { onread });
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
      // No request is pending for these bytes.
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

  /** True once the head of the expected response is complete. */
  #readHead(exchange: Exchange): boolean {
    const head = readAnswerHead(this.#buffer, 0, this.#filled);
    if (head === 'more') return false;
    if (head === 'broken' || !isThatRange(head, exchange.request)) {
      this.close();
      exchange.outcome.resolve(false);
      return false;
    }
    exchange.head = head;
    this.#start = head.end;
    return true;
  }

  /** Writes the buffer, and goes on with another one. */
  #handOver(exchange: Exchange): void {
    const { request, position, outcome } = exchange;
    const buffer = this.#buffer;
    const bytes = buffer.subarray(this.#start, this.#filled);
    // More bytes may arrive while the socket is paused: TLS delivers what it has already read.
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

  /** Bytes that arrived before the failure are still written. */
  #fail(error: unknown): void {
    const exchange = this.#exchange;
    if (exchange?.head !== undefined && this.#filled > this.#start) this.#handOver(exchange);
    exchange?.outcome.reject(error);
  }
}

function newBuffer(): Buffer {
  return Buffer.from(new SharedArrayBuffer(bufferBytes));
}
