import { type FileHandle, open } from 'node:fs/promises';
import { BadRequest } from '../../contracts/problems.ts';

const windowBytes = 2 ** 18;

/** Reads the start of a file in windows: headers are small, and what follows them is large. */
export class FileWindow {
  readonly #handle: FileHandle;
  readonly #name: string;
  #buffer = Buffer.alloc(0);
  /** Offset of the window's first byte in the file. */
  #start = 0;
  #position = 0;

  private constructor(handle: FileHandle, name: string) {
    this.#handle = handle;
    this.#name = name;
  }

  static async use<Result>(path: string, read: (window: FileWindow) => Promise<Result>): Promise<Result> {
    const handle = await open(path, 'r');
    try {
      return await read(new FileWindow(handle, path.split('/').at(-1) ?? path));
    } finally {
      await handle.close();
    }
  }

  get position(): number {
    return this.#position;
  }

  skip(bytes: number): void {
    this.#position += bytes;
  }

  async take(bytes: number): Promise<Buffer> {
    const from = this.#position - this.#start;
    if (from < 0 || from + bytes > this.#buffer.length) await this.#load(bytes);
    const at = this.#position - this.#start;
    this.#position += bytes;
    return this.#buffer.subarray(at, at + bytes);
  }

  async #load(bytes: number): Promise<void> {
    const buffer = Buffer.alloc(Math.max(bytes, windowBytes));
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, this.#position);
    if (bytesRead < bytes) throw new BadRequest(`${this.#name} is damaged: it ends within its header`);
    this.#buffer = buffer.subarray(0, bytesRead);
    this.#start = this.#position;
  }
}
