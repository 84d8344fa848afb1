import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchLibraryModel } from './fetch-library-model.ts';

const content = Buffer.alloc(300_000, 'roundhouse');
const hash = { algorithm: 'sha256', hex: createHash('sha256').update(content).digest('hex') } as const;
const file = { path: 'a/tiny модель.gguf', size: content.length, hash };

let folder: string;
let server: Server;
let asked: string[];
let cutAfter: number | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'library-'));
  asked = [];
  cutAfter = undefined;
  server = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ''));
    const [, from = '0', to = String(content.length - 1)] =
      /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const bytes = content.subarray(Number(from), Number(to) + 1);
    const range = request.headers.range ? { 'content-range': `bytes ${from}-${to}/${content.length}` } : {};
    response.writeHead(request.headers.range ? 206 : 200, { 'content-length': bytes.length, ...range });
    if (cutAfter === undefined) return void response.end(bytes);
    response.write(bytes.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 20));
    cutAfter = undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const fetchFiles = (files = [file], freeBytes = async () => 1e12) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signal = AbortSignal.timeout(60_000);
  return fetchLibraryModel({ url, headers: {} }, 'org/тест', files, { folder, signal, freeBytes });
};

test('copies the files once, and again only if they have changed', async () => {
  const copy = await fetchFiles();
  expect(readFileSync(join(copy, file.path))).toEqual(content);
  expect(asked[0]).toBe(`/api/v1/models/org/тест/files/${file.path}`);
  const before = asked.length;
  expect(await fetchFiles()).toBe(copy);
  expect(asked).toHaveLength(before);
  const other = { ...file, hash: { ...hash, hex: '0'.repeat(64) } };
  await expect(fetchFiles([other])).rejects.toThrow(/has the hash/);
});

test('goes on after a connection that was cut', async () => {
  cutAfter = 100_000;
  expect(readFileSync(join(await fetchFiles(), file.path))).toEqual(content);
});

test.each(['../evil', '/etc/evil', 'a/../../evil', 'a\\b', '', 'a//b', './a', 'a\0b'])(
  'refuses the name %j',
  async (path) => {
    await expect(fetchFiles([{ ...file, path }])).rejects.toThrow(/impossible name/);
    expect(asked).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('says before the first byte that the disk is too small', async () => {
  await expect(fetchFiles([file], async () => 1000)).rejects.toThrow(/not enough disk space/);
  expect(asked).toEqual([]);
});
