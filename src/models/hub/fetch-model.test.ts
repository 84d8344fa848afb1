import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  commitOf,
  type HubRepositoryOptions,
  type HubServer,
  hashOf,
  startHub,
} from '../../../test/testkit/models/hub-server.ts';
import { until } from '../../../test/testkit/until.ts';
import { fetchModel, type HubFetchOptions } from './fetch-model.ts';
import { HubCache } from './hub-cache.ts';
import { createHubClient } from './hub-client.ts';
import { parseModelId } from './model-reference.ts';

const weights = randomBytes(3_000_000);
const small: HubRepositoryOptions = {
  license: 'apache-2.0',
  files: {
    'config.json': '{"model_type":"llama"}',
    'tokenizer.json': '{"model":{}}',
    'model.safetensors': weights,
    'pytorch_model.bin': randomBytes(100),
    'modeling_evil.py': 'import os',
    'README.md': '# Small',
    'training_args.bin': randomBytes(10),
  },
};

describe('fetchModel', () => {
  let hub: HubServer;
  let root: string;
  let cache: HubCache;
  beforeEach(async () => {
    hub = await startHub();
    root = mkdtempSync(join(tmpdir(), 'hub-'));
    cache = new HubCache(join(root, 'hub'));
    hub.repositories.set('org/small', small);
  });
  afterEach(async () => {
    await hub.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const fetch = (
    id: string,
    options: Partial<HubFetchOptions> & { token?: string; freeBytes?: () => Promise<number> } = {},
  ) => {
    const { token, freeBytes, ...rest } = options;
    const client = createHubClient({ endpoint: hub.endpoint, token });
    return fetchModel(
      { hub: client, cache, engines: ['llamacpp', 'onnx'], ...(freeBytes ? { freeBytes } : {}) },
      parseModelId(id),
      {
        signal: AbortSignal.timeout(60_000),
        segmentBytes: 500_000,
        pace: { stallAfter: 400, leastBytes: 5_000 },
        ...rest,
      },
    );
  };
  const snapshot = () => cache.snapshot('org/small', commitOf(small));
  const arrived = () => readFileSync(join(snapshot(), 'model.safetensors')).equals(weights);
  const storageRequests = () => hub.requests.filter((request) => request.server === 'storage');

  test('brings what an engine needs and no more, in the layout that the other tools of the hub read', async () => {
    const seen: number[] = [];
    const model = await fetch('org/small', { onProgress: (done, total) => seen.push(done / total) });
    expect(model.format).toBe('safetensors');
    expect(model.folder).toBe(snapshot());
    expect(readdirSync(snapshot()).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    expect(arrived()).toBe(true);
    const folder = join(root, 'hub', 'models--org--small');
    expect(readFileSync(join(folder, 'refs', 'main'), 'utf8')).toBe(commitOf(small));
    expect(readlinkSync(join(snapshot(), 'model.safetensors'))).toBe(
      `../../blobs/${hashOf('model.safetensors', weights)}`,
    );
    expect(readdirSync(join(folder, 'blobs')).filter((name) => name.includes('partial'))).toEqual([]);
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    const ranges = storageRequests().map((request) => request.range);
    expect(new Set(ranges.filter((range) => range !== 'bytes=0-0')).size).toBe(6);
  });

  test('what is here is not fetched again; a second revision with the same content costs a link', async () => {
    await fetch('org/small');
    hub.requests.length = 0;
    await fetch('org/small');
    expect(hub.requests.map((request) => request.path)).toEqual(['/api/models/org/small/revision/main']);
    const commit = 'c'.repeat(40);
    hub.repositories.set('org/small', { ...small, commit });
    await fetch('org/small@main');
    expect(storageRequests()).toEqual([]);
    expect(readFileSync(join(cache.snapshot('org/small', commit), 'model.safetensors')).equals(weights)).toBe(
      true,
    );
  });

  test('the token goes to the hub, and never to the storage', async () => {
    hub.repositories.set('org/small', { ...small, private: true });
    await fetch('org/small', { token: 'hf_good' });
    expect(
      hub.requests
        .filter((request) => request.server === 'hub')
        .every((it) => it.authorization === 'Bearer hf_good'),
    ).toBe(true);
    expect(storageRequests().length).toBeGreaterThan(0);
    expect(storageRequests().every((request) => request.authorization === undefined)).toBe(true);
  });

  test('gated: where to accept the licence and which variable holds the token; with a token, whose account', async () => {
    hub.repositories.set('org/small', { ...small, gated: true });
    await expect(fetch('org/small')).rejects.toThrow(
      `the hub refused: 'org/small' is gated; accept its licence at ${hub.endpoint}/org/small, then put an access token of that account into HF_TOKEN`,
    );
    await expect(fetch('org/small', { token: 'hf_stranger' })).rejects.toThrow(
      /account that the token in HF_TOKEN belongs to/,
    );
    await fetch('org/small', { token: 'hf_good' });
    expect(arrived()).toBe(true);
  });

  test('unknown, private, a bad token, an unknown revision: each said in words', async () => {
    await expect(fetch('org/none')).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/has no model 'org\/none'; .*HF_TOKEN/),
    });
    await expect(fetch('org/none', { token: 'hf_good' })).rejects.toMatchObject({ status: 502 });
    await expect(fetch('org/small', { token: 'hf_mistyped' })).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('refused the token in HF_TOKEN'),
    });
    await expect(fetch('org/small@v9')).rejects.toThrow("has no revision 'v9' of 'org/small'");
    expect(() => parseModelId('no spaces/here')).toThrow(/must look like org\/name/);
  });

  test('429 is waited out as long as the hub asks', async () => {
    let refused = 0;
    hub.fault = ({ path, server }) =>
      (path.startsWith('/api/') || server === 'storage') && refused++ < 2
        ? { status: 429, headers: { 'retry-after': '1' } }
        : undefined;
    await fetch('org/small');
    expect(arrived()).toBe(true);
  });

  test('a cut in the middle, a stall and a trickle: taken up where it stopped', async () => {
    const faults = [{ cutAfter: 150_000 }, { stall: true }, { trickle: 20 }, { status: 503 }];
    hub.fault = ({ server }) => (server === 'storage' ? faults.shift() : undefined);
    await fetch('org/small', { connections: 2 });
    expect(arrived()).toBe(true);
    expect(faults).toEqual([]);
    const starts = storageRequests().map((request) => Number(/bytes=(\d+)/.exec(request.range ?? '')?.[1]));
    expect(starts.some((start) => start % 500_000 !== 0)).toBe(true);
  });

  test('a storage that hangs up after each answer is called again', async () => {
    hub.fault = ({ server }) => (server === 'storage' ? { hangUp: true } : undefined);
    await fetch('org/small', { connections: 1 });
    expect(arrived()).toBe(true);
  });

  test('a hub that goes down and comes up again', async () => {
    hub.fault = ({ server }) => (server === 'storage' ? { trickle: 40_000 } : undefined);
    const fetching = fetch('org/small', { connections: 2 });
    await until('some bytes', () => hub.sent > 200_000);
    hub.fault = () => undefined;
    await hub.restart();
    await fetching;
    expect(arrived()).toBe(true);
  });

  test('a storage address that has run out is asked for anew', async () => {
    let answered = 0;
    hub.fault = ({ server }) => {
      if (server === 'storage' && answered++ === 2) hub.expireAddresses();
      return undefined;
    };
    await fetch('org/small', { connections: 1 });
    expect(arrived()).toBe(true);
  });

  test('a wrong hash is refused and nothing of it is left', async () => {
    hub.fault = ({ server }) => (server === 'storage' ? { corrupt: true } : undefined);
    await expect(fetch('org/small')).rejects.toMatchObject({
      code: 'wrong_hash',
      message: expect.stringContaining('model.safetensors'),
    });
    const blobs = readdirSync(join(root, 'hub', 'models--org--small', 'blobs'));
    expect(blobs.filter((name) => name.startsWith(hashOf('model.safetensors', weights)))).toEqual([]);
    expect(existsSync(join(snapshot(), 'model.safetensors'))).toBe(false);
    hub.fault = ({ path }) => (path.endsWith('config.json') ? { corrupt: true } : undefined);
    rmSync(join(root, 'hub'), { recursive: true });
    await expect(fetch('org/small')).rejects.toMatchObject({ code: 'wrong_hash' });
  });

  test('a part that was damaged since is fetched anew, once', async () => {
    hub.fault = ({ server, range }) =>
      server === 'storage' && !range?.startsWith('bytes=0-') ? { status: 404 } : undefined;
    await expect(fetch('org/small', { connections: 1 })).rejects.toThrow();
    const blob = cache.blob('org/small', hashOf('model.safetensors', weights));
    const handle = await open(`${blob}.partial`, 'r+');
    await handle.write(Buffer.from('damage'), 0, 6, 1000);
    await handle.close();
    hub.fault = () => undefined;
    const seen: number[] = [];
    await fetch('org/small', { onProgress: (done, total) => seen.push(done / total) });
    expect(arrived()).toBe(true);
    expect(seen.at(-1)).toBe(1);
  });

  test('a full disk is seen before the start, with the numbers, and while it fills', async () => {
    await expect(fetch('org/small', { freeBytes: async () => 1_000_000 })).rejects.toMatchObject({
      status: 507,
      message: expect.stringMatching(/not enough disk space in .*: 4 MB needed .* 1 MB available/),
    });
    expect(storageRequests()).toEqual([]);
    const blob = cache.blob('org/small', hashOf('model.safetensors', weights));
    mkdirSync(join(root, 'hub', 'models--org--small', 'blobs'), { recursive: true });
    symlinkSync('/dev/full', `${blob}.partial`);
    await expect(fetch('org/small')).rejects.toMatchObject({
      status: 507,
      message: expect.stringContaining('disk is full'),
    });
  });

  test('an abort stops it at once, and the next attempt goes on from there', async () => {
    const stop = new AbortController();
    hub.fault = ({ server }) => (server === 'storage' ? { trickle: 50_000 } : undefined);
    const fetching = fetch('org/small', { signal: stop.signal, connections: 1 });
    await until('the first segment', () => hub.sent > 800_000);
    stop.abort();
    await expect(fetching).rejects.toThrow();
    const before = hub.sent;
    hub.fault = () => undefined;
    await fetch('org/small');
    expect(arrived()).toBe(true);
    expect(hub.sent - before).toBeLessThan(2_700_000);
  });

  test('a mirror whose listing lacks sizes and hashes', async () => {
    hub.repositories.set('org/small', { ...small, bareListing: true });
    await fetch('org/small');
    expect(arrived()).toBe(true);
  });

  test('file names that would lead out of the cache are refused', async () => {
    hub.repositories.set('org/small', { files: { ...small.files, '../../evil.json': '{}' } });
    await expect(fetch('org/small')).rejects.toThrow(/which is refused/);
  });

  test('removing frees the blobs that nothing else points to', async () => {
    await fetch('org/small');
    await cache.remove('org/small', commitOf(small), ['model.safetensors']);
    expect(readdirSync(snapshot()).sort()).toEqual(['config.json', 'tokenizer.json']);
    expect(readdirSync(join(root, 'hub', 'models--org--small', 'blobs'))).toHaveLength(2);
    await cache.remove('org/small', commitOf(small), ['config.json', 'tokenizer.json']);
    expect(existsSync(join(root, 'hub', 'models--org--small'))).toBe(false);
  });
});
