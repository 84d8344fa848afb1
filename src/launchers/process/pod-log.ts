import { createWriteStream, existsSync, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** A pod's output in rotated files: `pod.log`, and older ones as `pod.log.1`, `.2`, … */
export class PodLog {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  #stream: WriteStream | undefined;
  #size = 0;

  constructor(folder: string, options: { maxBytes?: number; keep?: number } = {}) {
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, 'pod.log');
    this.#maxBytes = options.maxBytes ?? 10 * 2 ** 20;
    this.#keep = options.keep ?? 3;
  }

  write(chunk: Buffer | string): void {
    if (this.#size > this.#maxBytes) this.#rotate();
    const stream = this.#stream ?? this.#open();
    stream.write(chunk);
    this.#size += Buffer.byteLength(chunk);
  }

  close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    if (!stream) return Promise.resolve();
    return new Promise((resolve) => stream.end(resolve));
  }

  #open(): WriteStream {
    this.#size = existsSync(this.path) ? statSync(this.path).size : 0;
    this.#stream = createWriteStream(this.path, { flags: 'a', mode: 0o600 });
    // A full disk must not crash the platform.
    this.#stream.on('error', () => {});
    return this.#stream;
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
