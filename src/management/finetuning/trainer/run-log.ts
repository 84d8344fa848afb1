import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

const largest = 16 * 2 ** 20;

/** What a run's program wrote beside its lines, kept up to a limit. */
export class RunLog {
  readonly #stream: WriteStream;
  #size = 0;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    // A full disk must not take the platform down with the log.
    this.#stream.on('error', () => {});
  }

  write(text: string): void {
    if (this.#size > largest) return;
    this.#size += text.length;
    this.#stream.write(this.#size > largest ? '… the rest is left out\n' : text);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(resolve));
  }
}
