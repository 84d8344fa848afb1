import { ChunkReader } from './chunk-reader.ts';
import { type HeaderPairs, headerOf, isRepeated, longestHead, parseHead } from './head.ts';
import { type Piece, pieceOf } from './piece.ts';

export interface AnswerListener {
  onHead(status: number, headers: HeaderPairs): void;
  /** Never called with nothing. */
  onBody(piece: Piece): void;
  onEnd(): void;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d{2})(?: .*)?$/;
const digits = /^\d{1,15}$/;

type Stage = 'head' | 'length' | 'chunks' | 'until closed' | 'done' | 'broken';

/** Understands the answers that come over one connection, one after the other. */
export class AnswerReader {
  readonly #listener: AnswerListener;
  readonly #chunks: ChunkReader;
  #stage: Stage = 'done';
  /** Of a head, what has come so far. */
  #rest: Buffer | undefined;
  #left = 0;
  #keepAlive = false;
  #hint = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
    this.#chunks = new ChunkReader((piece) => listener.onBody(piece));
  }

  /** A request was sent: its answer comes next. */
  expect(): void {
    this.#stage = 'head';
  }

  /** Whether the connection can be used for another request. */
  get reusable(): boolean {
    return this.#stage === 'done' && this.#keepAlive;
  }

  /** For how many milliseconds the pod said it keeps an idle connection; 0 where it did not. */
  get idleHint(): number {
    return this.#hint;
  }

  /** Takes the bytes up to `end`; false where they are not HTTP. Their memory may be used again. */
  feed(bytes: Buffer, end = bytes.length): boolean {
    if (this.#stage !== 'head') this.#readBody(bytes, 0, end);
    else if (!this.#rest) this.#readHead(bytes, 0, end);
    else {
      const all = Buffer.concat([this.#rest, bytes.subarray(0, end)]);
      this.#readHead(all, 0, all.length);
    }
    return this.#stage !== 'broken';
  }

  /** The pod closed the connection; true where that was the end of its answer. */
  close(): boolean {
    if (this.#stage !== 'until closed') return false;
    this.#finish();
    return true;
  }

  #readHead(bytes: Buffer, from: number, end: number): void {
    const text = bytes.toString('latin1', from, Math.min(end, from + longestHead));
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd < 0) {
      if (text.length >= longestHead || !'HTTP/1.'.startsWith(text.slice(0, 7))) this.#stage = 'broken';
      this.#rest = Buffer.from(bytes.subarray(from, end));
      return;
    }
    this.#rest = undefined;
    const head = parseHead(text.slice(0, headEnd + 2));
    const line = head && statusLine.exec(head.start);
    if (!line) {
      this.#stage = 'broken';
      return;
    }
    const status = Number(line[2]);
    const body = from + headEnd + 4;
    if (status < 200) {
      if (status === 101) this.#stage = 'broken';
      else if (body < end) this.#readHead(bytes, body, end);
      return;
    }
    this.#begin(status, head.headers, line[1] === '1');
    if (this.#stage === 'broken') return;
    this.#listener.onHead(status, head.headers);
    if (this.#stage === 'length' && this.#left === 0) {
      if (body < end) this.#keepAlive = false;
      this.#finish();
    } else if (body < end) this.#readBody(bytes, body, end);
  }

  /** Finds out how long the body is, and whether the connection lives on after it. */
  #begin(status: number, headers: HeaderPairs, isCurrent: boolean): void {
    const connection = headerOf(headers, 'connection')?.toLowerCase();
    if (connection === undefined) this.#keepAlive = isCurrent;
    else this.#keepAlive = connection === 'keep-alive' && !isRepeated(headers, 'connection');
    const hint = /timeout=(\d+)/.exec(headerOf(headers, 'keep-alive') ?? '')?.[1];
    this.#hint = hint === undefined ? 0 : Number(hint) * 1000;
    const coding = headerOf(headers, 'transfer-encoding');
    const length = headerOf(headers, 'content-length');
    this.#stage = 'length';
    this.#left = 0;
    if (status === 204 || status === 304) return;
    if (coding !== undefined) {
      // Two opinions on where an answer ends are none.
      const isClear = coding.toLowerCase() === 'chunked' && length === undefined;
      this.#stage = isClear ? 'chunks' : 'broken';
      this.#chunks.begin();
    } else if (length !== undefined) {
      if (!digits.test(length) || isRepeated(headers, 'content-length')) this.#stage = 'broken';
      this.#left = Number(length);
    } else {
      this.#stage = 'until closed';
      this.#keepAlive = false;
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
        // More than was asked for.
        this.#stage = 'broken';
    }
  }

  #finish(): void {
    this.#stage = 'done';
    this.#listener.onEnd();
  }
}
