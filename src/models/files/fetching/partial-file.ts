import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OutOfSpace, Unavailable } from '../../../contracts/problems.ts';
import type { Disk } from './disk.ts';
import type { FileHash } from './remote-file.ts';
import { type FileIdentity, type Segment, SegmentLog } from './segments.ts';

export interface PartialFileOptions extends FileIdentity {
  /** What to compute while the file comes; null where nothing is to be compared. */
  hash: FileHash | null;
  /** Called with the bytes of the file that are on disk. */
  onProgress(done: number): void;
}

const syncEvery = 4_000;

/** A file that is being fetched. What arrives is written, counted and hashed by the threads of a `Disk`. */
export class PartialFile {
  readonly log: SegmentLog;
  readonly #disk: Disk;
  readonly #handle: FileHandle;
  readonly #options: PartialFileOptions;
  readonly #sync: NodeJS.Timeout;
  #done: number;
  #syncing: Promise<unknown> | undefined;
  #settled: Promise<unknown> = Promise.resolve();

  private constructor(disk: Disk, log: SegmentLog, handle: FileHandle, options: PartialFileOptions) {
    this.log = log;
    this.#disk = disk;
    this.#handle = handle;
    this.#options = options;
    this.#done = log.done;
    this.#sync = setInterval(() => this.#syncBehind(), syncEvery);
  }

  static async open(disk: Disk, path: string, options: PartialFileOptions): Promise<PartialFile> {
    const { size, hash } = options;
    const log = await SegmentLog.open(path, options);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
    // Parts of another version may be longer than this one.
    if (log.done === 0 && (await handle.stat()).size > 0) await handle.truncate(0);
    const git = hash?.algorithm === 'git-sha1';
    const order = {
      data: handle.fd,
      log: log.fd,
      front: log.front,
      algorithm: git ? 'sha1' : 'sha256',
      // Git hashes this before the content.
      prefix: git ? `blob ${size}\0` : '',
    };
    await Promise.all([disk.writer.call('open', order), disk.hasher.call('open', order)]);
    return new PartialFile(disk, log, handle, options);
  }

  /** Writes the next bytes of a segment. They are in shared memory, and may be overwritten once this resolves. */
  async write(segment: Segment, position: number, bytes: Buffer): Promise<void> {
    const { log } = this;
    const { writer, hasher } = this.#disk;
    const end = position + bytes.length;
    const written = writer.call('write', { bytes, position, ...log.entry(segment, end) }).then(
      () => {
        segment.done = end - segment.start;
        this.#done += bytes.length;
        this.#options.onProgress(this.#done);
      },
      (error) => {
        throw diskProblem(error);
      },
    );
    const hashed = this.#options.hash && hasher.call('hash', { bytes, position, front: log.front });
    const both = Promise.all([written, hashed]);
    this.#settled = Promise.all([this.#settled, both]);
    this.#settled.catch(() => {});
    await both;
  }

  /** Resolves when all writes so far are on disk and counted; rejects where one failed. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  /** Whether the file, once it is whole, has the hash it should have; otherwise the one it has. */
  async check(): Promise<{ wrong: string } | 'right'> {
    const { hash } = this.#options;
    if (!hash) return 'right';
    const hex = await this.#disk.hasher.call('digest', { size: this.#done });
    return hex === hash.hex ? 'right' : { wrong: hex };
  }

  async close(): Promise<void> {
    clearInterval(this.#sync);
    await Promise.all([this.#disk.writer.call('close', {}), this.#disk.hasher.call('close', {})]);
    await this.#syncing;
    await this.#handle.close();
    await this.log.close();
  }

  /** Syncs while more arrives, so that little is left to wait for at the end. */
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
    return new Unavailable(`the download can't be written to disk (${code ?? message})`, { cause: error });
  }
  return new OutOfSpace(
    'the disk is full; what has arrived is kept, and adding the model again continues from there',
    { cause: error },
  );
}
