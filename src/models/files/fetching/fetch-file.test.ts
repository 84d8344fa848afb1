import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/testkit/until.ts';
import { Disk } from './disk.ts';
import { type FetchOptions, fetchFile } from './fetch-file.ts';
import type { FileHash, RemoteFile } from './remote-file.ts';

const content = randomBytes(5_000_000);
const segmentBytes = 1_000_000;
const sha256: FileHash = { algorithm: 'sha256', hex: createHash('sha256').update(content).digest('hex') };

/** How the server behaves; each test changes what it is about. */
interface Behaviour {
  bytes: Buffer;
  ranges: boolean;
  length: boolean;
  etag: string | undefined;
  /** Cuts the next answer after so many bytes. */
  cutAfter: number | undefined;
}

let behaviour: Behaviour;
let requests: (string | undefined)[];
let stored: number;
let folder: string;
let disk: Disk;
let url: string;

const server = createServer((request, response) => {
  const { bytes, ranges, length, etag } = behaviour;
  const { range, 'if-range': ifRange } = request.headers;
  requests.push(range);
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const honoured = ranges && range !== undefined && (ifRange === undefined || ifRange === etag);
  const body = honoured ? bytes.subarray(Number(from), Number(to) + 1) : bytes;
  response.writeHead(honoured ? 206 : 200, {
    ...(etag === undefined ? {} : { etag }),
    ...(length ? { 'content-length': body.length } : {}),
    ...(honoured
      ? { 'content-range': `bytes ${from}-${Number(from) + body.length - 1}/${bytes.length}` }
      : {}),
  });
  send(response, body);
});

function send(response: ServerResponse, body: Buffer): void {
  const { cutAfter } = behaviour;
  behaviour.cutAfter = undefined;
  if (cutAfter === undefined) response.end(body);
  else {
    const cut = () => response.destroy();
    // Without ranges the download begins anew, so it does not matter how much of it was stored.
    if (behaviour.ranges) void until('a part to be stored', () => stored > 0).then(cut);
    response.write(body.subarray(0, cutAfter), () => behaviour.ranges || void setTimeout(cut, 50));
  }
}

beforeEach(async () => {
  behaviour = { bytes: content, ranges: true, length: true, etag: '"one"', cutAfter: undefined };
  requests = [];
  stored = 0;
  folder = mkdtempSync(join(tmpdir(), 'fetch-file-'));
  disk = new Disk();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive.zip`;
});
afterEach(async () => {
  await disk.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const fetch = (remote: Partial<RemoteFile> = {}, options: Partial<FetchOptions> = {}) =>
  fetchFile({ name: 'archive.zip', url, headers: {}, size: null, hash: null, ...remote }, target(), {
    disk,
    signal: AbortSignal.timeout(60_000),
    segmentBytes,
    onProgress(done) {
      stored = done;
    },
    ...options,
  });
const target = () => join(folder, 'archive.zip');
const arrived = () => readFileSync(target()).equals(behaviour.bytes) && readdirSync(folder).length === 1;
const starts = () => requests.map((range) => Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1]));

/** Stops after some progress, as a kill would. */
async function stopAfter(bytes: number, remote: Partial<RemoteFile> = {}): Promise<void> {
  const stop = new AbortController();
  const onProgress = (done: number) => done >= bytes && stop.abort(new Error('stopped'));
  await expect(fetch(remote, { signal: stop.signal, onProgress, connections: 1 })).rejects.toThrow('stopped');
  requests = [];
}

describe('fetchFile', () => {
  test('a file of unknown size and hash comes in segments, the first of which is the first request', async () => {
    const seen: [number, number | undefined][] = [];
    await fetch({}, { onProgress: (done, total) => seen.push([done, total]) });
    expect(arrived()).toBe(true);
    expect(starts().sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4].map((at) => at * 1_000_000));
    expect(seen[0]).toEqual([0, content.length]);
    expect(seen.at(-1)).toEqual([content.length, content.length]);
  });

  test('a server without ranges is asked once, also for a file of many segments', async () => {
    behaviour.ranges = false;
    await fetch({ size: content.length, hash: sha256 });
    expect(arrived()).toBe(true);
    expect(requests).toHaveLength(1);
  });

  test('a server that has neither ranges nor a length', async () => {
    behaviour = { ...behaviour, ranges: false, length: false };
    await fetch();
    expect(arrived()).toBe(true);
    await fetch({ hash: sha256 });
    expect(arrived()).toBe(true);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['with ranges', { ranges: true }],
    ['without ranges', { ranges: false }],
    ['without ranges or a length', { ranges: false, length: false }],
  ])('a cut connection is resumed (%s)', async (_, change) => {
    behaviour = { ...behaviour, ...change, cutAfter: 700_000 };
    await fetch();
    expect(arrived()).toBe(true);
    expect(starts()[1]).toBeGreaterThan(0);
  });

  test('a stopped download continues where it was, as long as the file is the same', async () => {
    await stopAfter(2_000_000);
    await fetch();
    expect(arrived()).toBe(true);
    expect(starts().filter((start) => start > 0 && start < 2_000_000)).toEqual([]);
    await stopAfter(2_000_000);
    behaviour = { ...behaviour, etag: '"two"', bytes: randomBytes(4_500_000) };
    await fetch();
    expect(arrived()).toBe(true);
    expect(starts()).toContain(1_000_000);
  });

  test('a stopped download without a hash or a version starts over', async () => {
    behaviour.etag = undefined;
    await stopAfter(2_000_000);
    await fetch();
    expect(arrived()).toBe(true);
    expect(new Set(starts()).size).toBe(5);
  });

  test('a file that changes during the download is fetched again', async () => {
    const replaced = randomBytes(content.length);
    const onProgress = () => {
      behaviour = { ...behaviour, bytes: replaced, etag: '"two"' };
    };
    await fetch({}, { connections: 1, onProgress });
    expect(readFileSync(target()).equals(replaced)).toBe(true);
  });

  test('a wrong hash is refused, and nothing is left', async () => {
    behaviour.bytes = randomBytes(content.length);
    const failed = await fetch({ size: content.length, hash: sha256 }).catch((error) => error);
    expect(failed).toMatchObject({
      code: 'wrong_hash',
      message: expect.stringMatching(/^archive\.zip has the hash \w{64} instead of /),
    });
    expect(failed.message).toContain(sha256.hex);
    expect(readdirSync(folder)).toEqual([]);
    behaviour.bytes = content;
    await fetch({ size: content.length, hash: sha256 });
    expect(arrived()).toBe(true);
  });

  test('too little disk space is noticed before the download', async () => {
    const failed = fetch({}, { freeBytes: async () => 130_000_000 });
    await expect(failed).rejects.toMatchObject({
      status: 507,
      message: `not enough disk space in ${folder}: 5 MB needed and 135 MB kept free, 130 MB available`,
    });
    expect(requests).toHaveLength(1);
  });
});
