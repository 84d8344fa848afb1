import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  head: string;
  headers: Map<string, string>;
  body: Buffer;
}

/** A client that sends raw bytes and parses the answers strictly by RFC 9112. */
export class RawCaller {
  readonly socket: Socket;
  /** Resolves when the connection is closed by either side, with or without an error. */
  readonly closed: Promise<void>;
  isClosed = false;
  #pieces: Buffer[] = [];
  #length = 0;
  /** Number of bytes to wait for before parsing again. */
  #wanted = 0;
  #news: () => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      const over = () => {
        this.isClosed = true;
        this.#news();
        resolve();
      };
      this.socket.on('end', over).on('close', over);
    });
    this.socket.on('data', (piece) => {
      this.#pieces.push(piece);
      this.#length += piece.length;
      if (this.#length >= this.#wanted) this.#news();
    });
  }

  get received(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  send(...pieces: (string | Buffer)[]): this {
    for (const piece of pieces) this.socket.write(typeof piece === 'string' ? Buffer.from(piece) : piece);
    return this;
  }

  /** Sends pieces so that they arrive one by one. */
  async sendSlowly(pieces: Iterable<string | Buffer>): Promise<void> {
    for (const piece of pieces) {
      await new Promise((resolve) => this.socket.write(piece, 'latin1', resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The next complete answer; undefined if the connection ends first. */
  async answer(): Promise<RawAnswer | undefined> {
    for (;;) {
      const found = readAnswer(this.received, this.isClosed);
      if (typeof found !== 'number') {
        this.#pieces = [this.received.subarray(found.end)];
        this.#length -= found.end;
        this.#wanted = 0;
        return found.answer;
      }
      this.#wanted = found;
      if (this.isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#news = resolve;
      });
    }
  }

  /** All answers until the connection ends. */
  async answers(): Promise<RawAnswer[]> {
    const all: RawAnswer[] = [];
    for (let next = await this.answer(); next; next = await this.answer()) all.push(next);
    return all;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** A request with a body of known length. */
export function rawPost(path: string, body: string | Buffer, headers: string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const lines = [
    'host: localhost',
    'content-type: application/json',
    ...headers,
    `content-length: ${bytes.length}`,
  ];
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** A parsed answer, or the minimum number of bytes required for one. */
function readAnswer(bytes: Buffer, isClosed: boolean): { answer: RawAnswer; end: number } | number {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return bytes.length + 1;
  const head = bytes.toString('latin1', 0, headEnd);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map(lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', headerValue(line)]));
  const status = Number(statusLine.split(' ')[1]);
  const start = headEnd + 4;
  const body = readBody(bytes, start, status, headers, isClosed);
  if (typeof body === 'number') return body;
  return { answer: { status, head, headers, body: body.content }, end: body.end };
}

function readBody(
  bytes: Buffer,
  start: number,
  status: number,
  headers: Map<string, string>,
  isClosed: boolean,
): { content: Buffer; end: number } | number {
  if (status < 200 || status === 204 || status === 304) return { content: Buffer.alloc(0), end: start };
  const length = headers.get('content-length');
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? end : { content: bytes.subarray(start, end), end };
  }
  if (headers.get('transfer-encoding') !== 'chunked') {
    return isClosed ? { content: bytes.subarray(start), end: bytes.length } : bytes.length + 1;
  }
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return bytes.length + 1;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2;
    if (bytes.length < at + size + 2) return at + size + 2;
    if (bytes.toString('latin1', at + size, at + size + 2) !== '\r\n')
      throw new Error('a chunk is not terminated');
    chunks.push(bytes.subarray(at, at + size));
    at += size + 2;
    if (size === 0) return { content: Buffer.concat(chunks), end: at };
  }
}

function headerValue(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim();
}
