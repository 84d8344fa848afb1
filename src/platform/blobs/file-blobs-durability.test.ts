import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentOf, keyOf, replacedKey } from '../../../test/testkit/stores/blob-writer.ts';
import { Conflict } from '../../contracts/problems.ts';
import { openFileBlobs } from './file-blobs.ts';
import { fileProblem } from './file-problems.ts';
import { openBlobs } from './open-blobs.ts';

const writer = join(import.meta.dirname, '../../../test/testkit/stores/blob-writer.ts');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('openFileBlobs', () => {
  it('loses nothing acknowledged and shows nothing torn when killed in the middle of puts', async () => {
    const acknowledged: number[] = [];
    for (let round = 0; round < 6; round++) {
      acknowledged.push(...(await writeUntilKilled(round * 100_000, 15 + round * 9)));
      const store = await openFileBlobs(folder);
      expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
      for (const number of acknowledged) {
        const content = await buffer((await store.get(keyOf(number))).body);
        expect(content.equals(contentOf(number)), keyOf(number)).toBe(true);
      }
      for await (const { key } of store.list('writes/')) {
        const content = await buffer((await store.get(key)).body);
        const number = Number.parseInt(String(content), 10);
        expect(content.equals(contentOf(number)), key).toBe(true);
        if (key !== replacedKey) expect(key).toBe(keyOf(number));
      }
    }
    expect(acknowledged.length).toBeGreaterThan(100);
  });

  /** The numbers that the writer had acknowledged when it was killed, at least `count` of them. */
  async function writeUntilKilled(first: number, count: number): Promise<number[]> {
    const child = spawn(process.execPath, [writer, folder, String(first)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A dead process that nobody has waited for still looks alive.
    const exited = once(child, 'exit');
    const numbers: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      numbers.push(Number(line));
      if (numbers.length === count) child.kill('SIGKILL');
    }
    await exited;
    return numbers;
  }

  it('shows nothing of a put before it is complete', async () => {
    const store = await openFileBlobs(folder);
    async function* source() {
      yield Buffer.from('half ');
      expect(await store.head('a/b')).toBeUndefined();
      for await (const info of store.list('')) expect.unreachable(info.key);
      yield Buffer.from('whole');
    }
    await store.put('a/b', source());
    expect(await store.head('a/b')).toMatchObject({ size: 10 });
  });

  it('clears unfinished files of the dead and leaves those of the living', async () => {
    const store = await openFileBlobs(folder);
    const old = join(folder, 'incoming', 'otherhost.1.old');
    writeFileSync(old, 'x');
    utimesSync(old, new Date(0), new Date(0));
    writeFileSync(join(folder, 'incoming', 'otherhost.1.new'), 'x');
    async function* source() {
      yield Buffer.from('begun ');
      await openFileBlobs(folder);
      yield Buffer.from('and finished');
    }
    expect(await store.put('survivor', source())).toMatchObject({ size: 18 });
    expect(readdirSync(join(folder, 'incoming'))).toEqual(['otherhost.1.new']);
  });

  it('does not list what others left in its folder under names that it could not read', async () => {
    const store = await openFileBlobs(folder);
    await store.put('ours', [Buffer.from('x')]);
    writeFileSync(join(folder, 'objects', 'their\\s'), 'x');
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    expect(keys).toEqual(['ours']);
  });

  it('leaves no empty folders behind', async () => {
    const store = await openFileBlobs(folder);
    await store.put('a/b/c/d', [Buffer.from('x')]);
    await store.put('a/e', [Buffer.from('x')]);
    await store.delete('a/b/c/d');
    expect(readdirSync(join(folder, 'objects', 'a'))).toEqual(['e']);
    await store.delete('a/e');
    expect(readdirSync(join(folder, 'objects'))).toEqual([]);
  });

  it('puts and deletes in the same folder at once', async () => {
    const store = await openFileBlobs(folder);
    const cycle = async (name: string) => {
      for (let round = 0; round < 25; round++) {
        await store.put(`x/y/${name}`, [Buffer.from(name)]);
        await store.delete(`x/y/${name}`);
      }
      await store.put(`x/y/${name}`, [Buffer.from(name)]);
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(cycle));
    expect(readdirSync(join(folder, 'objects', 'x', 'y')).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses a file where a folder is, and a folder where a file is', async () => {
    const store = await openFileBlobs(folder);
    await store.put('file', [Buffer.from('x')]);
    await expect(store.put('file/below', [Buffer.from('x')])).rejects.toThrow(Conflict);
    await store.put('folder/file', [Buffer.from('x')]);
    await expect(store.put('folder', [Buffer.from('x')])).rejects.toThrow(Conflict);
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
  });

  it.skipIf(!canMount())('says that the disk is full, and gives the room back', () => {
    const output = inSmallDisk(
      folder,
      `const { openFileBlobs } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'file-blobs.ts')).href)});
       const store = await openFileBlobs(process.argv[1]);
       await store.put('kept', [Buffer.alloc(1000)]);
       const failure = await store.put('large', Array.from({ length: 8 }, () => Buffer.alloc(1 << 20))).catch((error) => error);
       await store.put('after', [Buffer.alloc(2 << 20)]);
       const keys = [];
       for await (const { key } of store.list('')) keys.push(key);
       console.log(JSON.stringify({ name: failure.name, message: failure.message, keys: keys.sort() }));`,
    );
    expect(JSON.parse(output)).toEqual({
      name: 'OutOfSpace',
      message: 'The file store is full',
      keys: ['after', 'kept'],
    });
  });
});

/** Runs a module with its first argument, the folder, on a disk of 4 MB. */
function inSmallDisk(mountPoint: string, module: string): string {
  const mount = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$1" --input-type=module -e "$2" "$0"';
  const args = ['-rm', 'sh', '-c', mount, mountPoint, process.execPath, module];
  return execFileSync('unshare', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Containers often forbid it; what a full disk means is then still tested below. */
function canMount(): boolean {
  const mountPoint = mkdtempSync(join(tmpdir(), 'roundhouse-disk-'));
  try {
    return inSmallDisk(mountPoint, 'console.log("yes")').trim() === 'yes';
  } catch {
    return false;
  } finally {
    rmSync(mountPoint, { recursive: true });
  }
}

describe('fileProblem', () => {
  it.skipIf(!existsSync('/dev/full'))("knows the system's own error for a full disk", async () => {
    const failure = await writeFile('/dev/full', 'x').catch((error) => error);
    expect(fileProblem(failure, 'x')).toMatchObject({ name: 'OutOfSpace', status: 507, cause: failure });
  });
});

describe('openBlobs', () => {
  const s3 = { region: 'us-east-1', force_path_style: true };

  it('opens a folder, and makes it where it is not there', async () => {
    const store = await openBlobs({ url: `file:${folder}/new/blobs`, s3 });
    await store.put('x', [Buffer.from('x')]);
    expect(readdirSync(join(folder, 'new/blobs/objects'))).toEqual(['x']);
    expect(await (await openBlobs({ url: `file://${folder}/new/blobs`, s3 })).head('x')).toMatchObject({
      size: 1,
    });
  });

  it('says that the folder may not be written', async () => {
    chmodSync(folder, 0o555);
    await asOrdinaryUser(async () => {
      await expect(openBlobs({ url: `file:${folder}`, s3 })).rejects.toThrow(
        /can't access the file store's folder: check its permissions \(EACCES.*\)/,
      );
    });
  });

  it('says that the folder is a file', async () => {
    writeFileSync(join(folder, 'file'), 'x');
    await expect(openBlobs({ url: `file:${folder}/file`, s3 })).rejects.toThrow(
      /file and a folder|ENOTDIR|EEXIST/,
    );
  });

  it.each(['', 'http://x', 'file:', 's3://', 's3://Bad_Bucket/x', `s3://bucket/${'x'.repeat(101)}`])(
    'refuses the address %j in one line',
    async (url) => {
      await expect(openBlobs({ url, s3 })).rejects.toMatchObject({
        name: 'StartupError',
        message: expect.stringMatching(/^blobs\.url: .+/),
      });
    },
  );
});

/** Permissions mean nothing to root. */
async function asOrdinaryUser(action: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    await action();
  } finally {
    if (root) process.seteuid?.(0);
  }
}
