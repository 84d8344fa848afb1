import { type AnswerHead, readAnswerHead } from './answer-head.ts';
import { ChunkReader } from './chunk-reader.ts';
import { type HeaderPairs, headerOf } from './head.ts';
import { type Piece, pieceOf } from './piece.ts';

export interface AnswerListener {
  onHead(status: number, headers: HeaderPairs): void;
  /** Never called with an empty piece. */
  onBody(piece: Piece): void;
  onEnd(): void;
}

type Stage = 'head' | 'length' | 'chunks' | 'until closed' | 'done' | 'broken';

/** Reads the responses that arrive on one connection, one after the other. */
export class AnswerReader {
  readonly #listener: AnswerListener;
  readonly #chunks: ChunkReader;
  #stage: Stage = 'done';
  /** The received part of an incomplete head. */
  #rest: Buffer | undefined;
  #left = 0;
  #keepAlive = false;
  #hint = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
    this.#chunks = new ChunkReader((piece) => listener.onBody(piece));
  }

  /** A request was sent, so a response comes next. */
  expect(): void {
    this.#stage = 'head';
  }

  /** Whether the connection can be used for another request. */
  get reusable(): boolean {
    return this.#stage === 'done' && this.#keepAlive;
  }

  /** How many milliseconds the server keeps an idle connection open, by its `keep-alive` header; 0 if unknown. */
  get idleHint(): number {
    return this.#hint;
  }

  /** Reads the bytes up to `end`; returns false if they are not valid HTTP. Their memory may be reused afterwards. */
  feed(bytes: Buffer, end = bytes.length): boolean {
    if (this.#stage !== 'head') this.#readBody(bytes, 0, end);
    else if (!this.#rest) this.#readHead(bytes, 0, end);
    else {
      const all = Buffer.concat([this.#rest, bytes.subarray(0, end)]);
      this.#readHead(all, 0, all.length);
    }
    return this.#stage !== 'broken';
  }

  /** The server closed the connection. Returns true if that completed the response. */
  close(): boolean {
    if (this.#stage !== 'until closed') return false;
    this.#finish();
    return true;
  }

  #readHead(bytes: Buffer, from: number, end: number): void {
    const head = readAnswerHead(bytes, from, end);
    if (head === 'more') {
      this.#rest = Buffer.from(bytes.subarray(from, end));
      return;
    }
    this.#rest = undefined;
    if (head === 'broken') {
      this.#stage = 'broken';
      return;
    }
    if (head.status < 200) {
      if (head.status === 101) this.#stage = 'broken';
      else if (head.end < end) this.#readHead(bytes, head.end, end);
      return;
    }
    this.#begin(head);
    this.#listener.onHead(head.status, head.headers);
    if (this.#stage === 'length' && this.#left === 0) {
      if (head.end < end) this.#keepAlive = false;
      this.#finish();
    } else if (head.end < end) this.#readBody(bytes, head.end, end);
  }

  #begin({ headers, body, keepsAlive }: AnswerHead): void {
    this.#keepAlive = keepsAlive;
    const hint = /timeout=(\d+)/.exec(headerOf(headers, 'keep-alive') ?? '')?.[1];
    this.#hint = hint === undefined ? 0 : Number(hint) * 1000;
    if (typeof body === 'number') {
      this.#stage = 'length';
      this.#left = body;
    } else {
      this.#stage = body;
      this.#chunks.begin();
    }
  }

  #readBody(bytes: Buffer, from: number, end: number): void {
    switch (this.#stage) {
      case 'length': {
        const bodyEnd = Math.min(end, from + this.#left);
        this.#left -= bodyEnd - from;
        this.#listener.onBody(pieceOf(bytes, from, bodyEnd));
        if (bodyEnd < end) this.#keepAlive = false;
        if (this.#left === 0) this.#finish();
        return;
      }
      case 'chunks': {
        const bodyEnd = this.#chunks.feed(bytes, from, end);
        if (bodyEnd === 'broken') this.#stage = 'broken';
        if (typeof bodyEnd === 'string') return;
        if (bodyEnd < end) this.#keepAlive = false;
        this.#finish();
        return;
      }
      case 'until closed':
        this.#listener.onBody(pieceOf(bytes, from, end));
        return;
      default:
        // The server sent more than one response to the request.
        this.#stage = 'broken';
    }
  }

  #finish(): void {
    this.#stage = 'done';
    this.#listener.onEnd();
  }
}
