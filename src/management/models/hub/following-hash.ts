import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { FileHash } from './hub-client.ts';

const readBytes = 2 ** 19;

/**
 * The hash of a file while it arrives. What comes in order is hashed from memory; what came out of order, or before
 * a restart, is read back once everything before it is there. A piece takes well under a millisecond.
 */
export class FollowingHash {
  readonly #file: Pick<FileHandle, 'read'>;
  readonly #hash;
  /** Bytes hashed so far. */
  #position = 0;
  #front = 0;
  #catchingUp: Promise<void> | undefined;

  constructor(file: Pick<FileHandle, 'read'>, size: number, { algorithm }: FileHash) {
    this.#file = file;
    this.#hash = createHash(algorithm === 'sha256' ? 'sha256' : 'sha1');
    // What git hashes before the content.
    if (algorithm === 'git-sha1') this.#hash.update(`blob ${size}\0`);
  }

  /** A piece that stands at this place of the file. */
  piece(position: number, bytes: Buffer): void {
    if (position !== this.#position || this.#catchingUp) return;
    this.#hash.update(bytes);
    this.#position += bytes.length;
  }

  /** The file is there up to this byte. */
  follow(front: number): void {
    this.#front = front;
    if (front > this.#position) this.#catchingUp ??= this.#catchUp();
  }

  /** Once `follow` was told of the whole size. */
  async hex(): Promise<string> {
    await this.#catchingUp;
    return this.#hash.digest('hex');
  }

  async #catchUp(): Promise<void> {
    const buffer = Buffer.allocUnsafe(readBytes);
    try {
      while (this.#position < this.#front) {
        const length = Math.min(readBytes, this.#front - this.#position);
        const { bytesRead } = await this.#file.read(buffer, 0, length, this.#position);
        if (bytesRead === 0) break;
        this.#hash.update(buffer.subarray(0, bytesRead));
        this.#position += bytesRead;
      }
    } finally {
      this.#catchingUp = undefined;
    }
  }
}
