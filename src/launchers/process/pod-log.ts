import { createWriteStream, existsSync, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface PodLogOptions {
  maxBytes?: number;
  keep?: number;
  /** Milliseconds without attempts after a write has failed. */
  retryAfter?: number;
}

/** A pod's output in rotated files: `pod.log`, and older ones as `pod.log.1`, `.2`, … */
export class PodLog {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  #stream: WriteStream | undefined;
  #size = 0;
  readonly #retryAfter: number;
  #pausedUntil = 0;
  #dropped = 0;

  constructor(folder: string, options: PodLogOptions = {}) {
    this.#retryAfter = options.retryAfter ?? 5_000;
    this.path = join(folder, 'pod.log');
    this.#maxBytes = options.maxBytes ?? 10 * 2 ** 20;
    this.#keep = options.keep ?? 3;
  }

  /** How many pieces of output have been dropped since the last one that was stored. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Never throws: output that can't be stored (a full disk) is dropped and counted until it can be again. */
  write(chunk: Buffer | string): void {
    if (performance.now() < this.#pausedUntil) {
      this.#dropped++;
      return;
    }
    try {
      if (this.#size > this.#maxBytes) this.#rotate();
      const stream = this.#stream ?? this.#open();
      if (this.#dropped > 0) stream.write(`${this.#dropped} pieces of output were dropped\n`);
      this.#dropped = 0;
      stream.write(chunk);
      this.#size += Buffer.byteLength(chunk);
    } catch {
      this.#pause();
    }
  }

  close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    if (!stream) return Promise.resolve();
    return new Promise((resolve) => stream.end(resolve));
  }

  #open(): WriteStream {
    mkdirSync(dirname(this.path), { recursive: true });
    this.#size = existsSync(this.path) ? statSync(this.path).size : 0;
    const stream = createWriteStream(this.path, { flags: 'a', mode: 0o600 });
    stream.on('error', () => {
      if (this.#stream === stream) this.#pause();
    });
    this.#stream = stream;
    return stream;
  }

  #pause(): void {
    this.#stream?.destroy();
    this.#stream = undefined;
    this.#dropped++;
    this.#pausedUntil = performance.now() + this.#retryAfter;
  }

  #rotate(): void {
    this.#stream?.end();
    this.#stream = undefined;
    this.#size = 0;
    for (let age = this.#keep - 1; age >= 0; age--) {
      const from = age === 0 ? this.path : `${this.path}.${age}`;
      if (existsSync(from)) renameSync(from, `${this.path}.${age + 1}`);
    }
  }
}

/** The last lines of a pod's log, oldest first, from its two newest files; reads only their tails. */
export async function readTail(path: string, lines: number): Promise<string[]> {
  const newest = await tailOfFile(path, lines);
  if (newest.length >= lines) return newest;
  return [...(await tailOfFile(`${path}.1`, lines - newest.length)), ...newest];
}

async function tailOfFile(path: string, lines: number): Promise<string[]> {
  if (lines <= 0 || !existsSync(path)) return [];
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    let text = Buffer.alloc(0);
    let start = size;
    while (start > 0 && countLines(text) <= lines) {
      const length = Math.min(64 * 1024, start);
      start -= length;
      const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: start });
      text = Buffer.concat([buffer, text]);
    }
    const all = text.toString('utf8').split('\n');
    if (all.at(-1) === '') all.pop();
    return all.slice(-lines);
  } finally {
    await file.close();
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}
