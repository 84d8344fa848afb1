import type { Socket } from 'node:net';
import { requestIdFrom } from '../../platform/http/requests/request-id.ts';
import { longestHead } from '../../platform/wire/head.ts';
import { bodiesTooLarge } from './body-memory.ts';
import type { Lane } from './lane.ts';
import { ordinaryRequest } from './ordinary-request.ts';
import { type Carrier, keepAliveSeconds, WireCall } from './wire-call.ts';

/** How many bytes a caller may send ahead while a request is being answered. */
const mostAhead = 65_536;
/** How long a head and a whole request may take to arrive, as in Node's own server. */
const headLimit = 60_000;
const requestLimit = 300_000;
/** How long a caller may go on sending after its last response. Cutting it off at once could lose that response. */
const lingerLimit = 5000;
/** How long a caller may read nothing of a response that is complete. */
const unreadLimit = 300_000;
/** Bare line breaks and folded lines may hide the end of a head; Node's parser refuses them immediately. */
const oddLineEnd = /(?:^|[^\r])\n|\r[^\n]|\n[ \t]/;
const tooSlow = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n';

/** A caller's connection. The first request that is not ordinary is handed over to Node's server, with the connection. */
export class CallerConnection implements Carrier {
  readonly socket: Socket;
  readonly #lane: Lane;
  #call: WireCall | undefined;
  /** The received part of a head, or what was received after the request that is being answered. */
  #rest: Buffer | undefined;
  #body: Buffer[] = [];
  #missing = 0;
  /** Bytes of the current body that are counted in `lane.bodies`. */
  #held = 0;
  /** Bytes that were not sent yet at the last check. */
  #unread = -1;
  /** When it became idle, or when the current request began to arrive. */
  #since = performance.now();

  constructor(socket: Socket, lane: Lane) {
    this.socket = socket;
    this.#lane = lane;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', ignore).on('close', this.#onClose);
  }

  get closing(): boolean {
    return this.#lane.closing;
  }

  get idle(): boolean {
    return this.#call === undefined;
  }

  answered(): void {
    const { socket } = this;
    this.#call = undefined;
    this.#forgetBody();
    this.#since = performance.now();
    if (socket.writableEnded) {
      this.#rest = undefined;
      if (this.closing) socket.destroySoon();
      else socket.resume();
    } else if (socket.writableNeedDrain) {
      // Read no further requests until the caller has read its responses.
      socket.pause().once('drain', this.#readOn);
    } else if (this.#rest) process.nextTick(this.#readOn);
  }

  /** Closes the connection of a caller that sends too slowly, or that does not read the end of its response. */
  checkPatience(now: number): void {
    const waited = now - this.#since;
    if (this.socket.writableEnded) {
      if (!this.socket.writableFinished) this.#checkReading(now);
      else if (waited > lingerLimit) this.socket.destroy();
    } else if (this.#call) {
      if (!this.#call.isRead && waited > requestLimit) this.#refuse();
    } else if (this.socket.writableNeedDrain) {
      this.#checkReading(now);
    } else if (this.#rest) {
      if (waited > headLimit) this.#refuse();
    } else if (waited > keepAliveSeconds * 1000) this.socket.destroySoon();
  }

  /** A caller that reads slowly is waited for; one that reads nothing is not. */
  #checkReading(now: number): void {
    const { writableLength } = this.socket;
    if (writableLength !== this.#unread) {
      this.#unread = writableLength;
      this.#since = now;
    } else if (now - this.#since > unreadLimit) this.socket.destroy();
  }

  /** An error here would end the process: it costs this connection alone. */
  readonly #onData = (bytes: Buffer) => {
    try {
      this.#read(bytes);
    } catch {
      this.socket.destroy();
    }
  };

  #read(bytes: Buffer) {
    // These bytes belong to a request that was refused, and must not be taken for the next one.
    if (this.socket.writableEnded) return;
    if (!this.#call) return this.#readHead(this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes);
    if (!this.#call.isRead) {
      const call = this.#call;
      if (!this.#readBody(call, bytes)) call.owner?.refuse(bodiesTooLarge());
      return;
    }
    this.#hold(this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes);
  }

  /** Reads the next request, part of which may have arrived already. */
  readonly #readOn = () => {
    const rest = this.#rest;
    if (this.#call || !this.socket.writable) return;
    this.#rest = undefined;
    this.#since = performance.now();
    this.socket.resume();
    if (rest) this.#onData(rest);
  };

  /** Like Node's server, sends a caller that closed its half only the responses that are already on their way. */
  readonly #onEnd = () => {
    if (this.#call) this.socket.destroy();
    else this.socket.destroySoon();
  };

  readonly #onClose = () => {
    this.#lane.forget(this);
    this.#forgetBody();
    this.#call?.leave();
  };

  #readHead(bytes: Buffer) {
    const text = bytes.toString('latin1', 0, Math.min(bytes.length, longestHead));
    const end = text.indexOf('\r\n\r\n');
    if (!this.#rest) this.#since = performance.now();
    if (end < 0 && mayBecomeOrdinary(text)) {
      this.#rest = bytes;
      return;
    }
    this.#rest = undefined;
    const request = end < 0 ? undefined : ordinaryRequest(text.slice(0, end + 2));
    const serve = request && this.#lane.find(request);
    if (!serve) return this.#handOver(bytes);
    const call = new WireCall(this, request.headers);
    this.#call = call;
    this.#missing = request.length;
    const fits = this.#readBody(call, bytes.subarray(end + 4));
    serve(call);
    if (!fits) call.owner?.refuse(bodiesTooLarge());
  }

  /** Returns false if there is no memory for it. */
  #readBody(call: WireCall, bytes: Buffer): boolean {
    const extra = bytes.length > this.#missing;
    const body = extra ? bytes.subarray(0, this.#missing) : bytes;
    if (!this.#lane.bodies.take(body.length)) {
      this.#body = [];
      return false;
    }
    this.#held += body.length;
    if (extra) this.#hold(bytes.subarray(this.#missing));
    this.#missing -= body.length;
    if (this.#missing > 0) this.#body.push(body);
    else if (this.#body.length === 0) call.receive(body);
    else {
      const whole = Buffer.concat([...this.#body, body]);
      this.#body = [];
      call.receive(whole);
    }
    return true;
  }

  #forgetBody(): void {
    this.#lane.bodies.give(this.#held);
    this.#held = 0;
    if (this.#body.length > 0) this.#body = [];
  }

  #hold(ahead: Buffer): void {
    this.#rest = ahead;
    if (ahead.length > mostAhead) this.socket.pause();
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this;
    socket.pause();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', ignore).off('close', this.#onClose);
    socket.unshift(bytes);
    this.#lane.handOver(this);
    socket.resume();
  }

  #refuse(): void {
    const answer = `${tooSlow}x-request-id: ${requestIdFrom(undefined)}\r\n\r\n`;
    this.socket.end(answer, 'latin1', () => this.socket.destroy());
  }
}

function mayBecomeOrdinary(text: string): boolean {
  return text.length < longestHead && 'POST '.startsWith(text.slice(0, 5)) && !oddLineEnd.test(text);
}

function ignore(): void {}
