import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OutOfSpace, Unavailable } from '../../../contracts/problems.ts';
import type { FileHash } from '../../hub/hub-client.ts';
import type { Disk } from './disk.ts';
import { type Segment, SegmentLog } from './segments.ts';

export interface PartialFileOptions {
  size: number;
  hash: FileHash;
  segmentBytes?: number | undefined;
  /** Bytes that are in the file. */
  onBytes(count: number): void;
}

const syncEvery = 4_000;

/** A file that is being fetched: what comes is written, counted and hashed by the disk's threads. */
export class PartialFile {
  readonly log: SegmentLog;
  readonly #disk: Disk;
  readonly #handle: FileHandle;
  readonly #options: PartialFileOptions;
  readonly #sync: NodeJS.Timeout;
  #syncing: Promise<unknown> | undefined;
  #settled: Promise<unknown> = Promise.resolve();

  private constructor(disk: Disk, log: SegmentLog, handle: FileHandle, options: PartialFileOptions) {
    this.log = log;
    this.#disk = disk;
    this.#handle = handle;
    this.#options = options;
    this.#sync = setInterval(() => this.#syncBehind(), syncEvery);
  }

  static async open(disk: Disk, path: string, options: PartialFileOptions): Promise<PartialFile> {
    const { size, hash, segmentBytes } = options;
    const log = await SegmentLog.open(path, size, segmentBytes);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
    const git = hash.algorithm === 'git-sha1';
    const order = {
      data: handle.fd,
      log: log.fd,
      front: log.front,
      algorithm: git ? 'sha1' : 'sha256',
      // What git hashes before the content.
      prefix: git ? `blob ${size}\0` : '',
    };
    await Promise.all([disk.writer.call('open', order), disk.hasher.call('open', order)]);
    return new PartialFile(disk, log, handle, options);
  }

  /** Takes bytes of a segment, each after the last; they are in shared memory, and may be overwritten when it resolves. */
  async write(segment: Segment, position: number, bytes: Buffer): Promise<void> {
    const { log } = this;
    const { writer, hasher } = this.#disk;
    const end = position + bytes.length;
    const written = writer.call('write', { bytes, position, ...log.entry(segment, end) }).then(
      () => {
        segment.done = end - segment.start;
        this.#options.onBytes(bytes.length);
      },
      (error) => {
        throw diskProblem(error);
      },
    );
    const hashed = hasher.call('hash', { bytes, position, front: log.front });
    const both = Promise.all([written, hashed]);
    this.#settled = Promise.all([this.#settled, both]);
    this.#settled.catch(() => {});
    await both;
  }

  /** When what was given to be written has been written and counted, or could not be. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  /** Once all of it has come. */
  hex(): Promise<string> {
    return this.#disk.hasher.call('digest', { size: this.#options.size });
  }

  async close(): Promise<void> {
    clearInterval(this.#sync);
    await Promise.all([this.#disk.writer.call('close', {}), this.#disk.hasher.call('close', {})]);
    await this.#syncing;
    await this.#handle.close();
    await this.log.close();
  }

  /** To the disk itself while more comes, so that little is left to wait for at the end. */
  #syncBehind(): void {
    const done = () => {
      this.#syncing = undefined;
    };
    this.#syncing ??= this.#handle.datasync().then(done, done);
  }
}

function diskProblem(error: NodeJS.ErrnoException): Error {
  const { code, message } = error;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') {
    return new Unavailable(`what came can't be written (${code ?? message})`, { cause: error });
  }
  return new OutOfSpace(
    'the disk is full; what has arrived is kept, and adding the model again goes on from there',
    { cause: error },
  );
}
