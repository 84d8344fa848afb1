import type { IncomingMessage, ServerResponse } from 'node:http';
import { PayloadTooLarge, type Problem } from '../../contracts/problems.ts';
import type { HeaderPairs } from '../../platform/wire/head.ts';
import type { Piece } from '../../platform/wire/piece.ts';
import { type BodyMemory, bodiesTooLarge } from './body-memory.ts';
import type { Call, CallOwner } from './call.ts';

/** How long a caller may go on sending after its response, in milliseconds; as in nginx. */
const lingerLimit = 30_000;

/** A request received through Node's own server: a form, or anything else that is not an ordinary request. */
export class NodeCall implements Call {
  readonly headers: HeaderPairs;
  readonly request: IncomingMessage;
  readonly #response: ServerResponse;
  #bodyRead = false;
  #flowing = true;
  owner: CallOwner | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.#response = response;
    this.headers = pairsOf(request);
    response.on('close', () => this.owner?.abandon());
    response.on('drain', () => {
      this.#flowing = true;
      this.owner?.resume();
    });
    request.on('error', () => this.owner?.abandon());
  }

  get upload(): IncomingMessage {
    return this.request;
  }

  get isRead(): boolean {
    return this.#bodyRead || this.request.complete;
  }

  get begun(): boolean {
    return this.#response.headersSent;
  }

  get over(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  readBody(limit: number, bodies: BodyMemory) {
    const announced = Number(this.request.headers['content-length'] ?? 0);
    if (announced > limit) return this.owner?.refuse(tooLarge(limit));
    const chunks: Buffer[] = [];
    let length = 0;
    let refused = false;
    const refuse = (problem: Problem) => {
      refused = true;
      chunks.length = 0;
      this.owner?.refuse(problem);
    };
    this.request.on('data', (chunk: Buffer) => {
      if (refused || this.#response.destroyed) return;
      if (length + chunk.length > limit) return refuse(tooLarge(limit));
      if (!bodies.take(chunk.length)) return refuse(bodiesTooLarge());
      length += chunk.length;
      chunks.push(chunk);
    });
    this.request.on('end', () => {
      this.#bodyRead = true;
      if (!refused) this.owner?.receive(Buffer.concat(chunks));
    });
    this.#response.once('close', () => bodies.give(length));
  }

  begin(status: number, headers: HeaderPairs, length: number | undefined): void {
    const all = length === undefined ? [...headers] : [...headers, 'content-length', String(length)];
    this.#response.writeHead(status, all);
  }

  write(piece: Piece): void {
    this.#flowing =
      typeof piece === 'string' ? this.#response.write(piece, 'latin1') : this.#response.write(piece);
  }

  flush(): boolean {
    return this.#flowing || this.over;
  }

  end(): void {
    this.#response.end();
    if (!this.isRead) this.#letSendingEnd();
  }

  cut(): void {
    this.#response.destroy();
  }

  /** Drops the rest of the request. A connection that is closed while its caller is sending loses the response. */
  #letSendingEnd(): void {
    const { request } = this;
    const limit = setTimeout(() => request.destroy(), lingerLimit).unref();
    request.once('close', () => clearTimeout(limit)).resume();
  }
}

function pairsOf({ headers }: IncomingMessage): string[] {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') pairs.push(name, value);
    else for (const each of value ?? []) pairs.push(name, each);
  }
  return pairs;
}

function tooLarge(limit: number): PayloadTooLarge {
  return new PayloadTooLarge(`the request body is larger than the limit of ${limit} bytes`);
}
