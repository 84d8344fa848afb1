import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

const maxSize = 16 * 2 ** 20;

/** The trainer's other output, kept up to a size limit. */
export class RunLog {
  readonly #stream: WriteStream;
  #size = 0;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    // A full disk must not crash the platform.
    this.#stream.on('error', () => {});
  }

  write(text: string): void {
    if (this.#size > maxSize) return;
    this.#size += text.length;
    this.#stream.write(this.#size > maxSize ? '… log truncated\n' : text);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(resolve));
  }
}
