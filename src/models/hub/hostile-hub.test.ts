import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, type HubServer, startHub } from '../../../test/testkit/models/hub-server.ts';
import { type Problem, UpstreamFailed } from '../../contracts/problems.ts';
import { isTemporary } from '../files/http/patience.ts';
import { fetchModel } from './fetch-model.ts';
import { HubCache } from './hub-cache.ts';
import { createHubClient } from './hub-client.ts';
import { parseModelId } from './model-reference.ts';

const files = { 'config.json': '{}', 'model.safetensors': Buffer.alloc(1000) };

describe('a hub that misbehaves', () => {
  let hub: HubServer;
  let root: string;
  beforeEach(async () => {
    hub = await startHub();
    root = mkdtempSync(join(tmpdir(), 'hostile-hub-'));
    hub.repositories.set('org/small', { files });
  });
  afterEach(async () => {
    await hub.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const fetch = (endpoint = hub.endpoint, freeBytes?: () => Promise<number>, time = 200) =>
    fetchModel(
      {
        hub: createHubClient({ endpoint, limits: { bytes: 2 ** 20, time } }),
        cache: new HubCache(join(root, 'hub')),
        engines: ['llamacpp'],
        ...(freeBytes ? { freeBytes } : {}),
      },
      parseModelId('org/small'),
      { signal: AbortSignal.timeout(60_000), pace: { stallAfter: 200, leastBytes: 100 } },
    );
  const failure = (endpoint?: string) =>
    fetch(endpoint).then(
      () => undefined,
      (error: unknown) => error,
    );

  test('an answer without an end is cut off, and not asked for again', async () => {
    hub.fault = () => ({ endless: true });
    const fetching = fetch(hub.endpoint, undefined, 30_000);
    await expect(fetching).rejects.toThrow(/more than 1048576 bytes where a description was expected/);
    expect(hub.requests).toHaveLength(1);
  });

  test.each<[string, Fault]>([
    ['stops in the middle of a body', { stall: true }],
    ['sends a byte now and then', { drip: true }],
  ])('one that %s is given up after the time limit', async (_, fault) => {
    hub.fault = () => fault;
    const error = await failure();
    expect(error).toMatchObject({ status: 504, message: expect.stringContaining('within 0.2 s') });
    expect(isTemporary(error)).toBe(true);
  });

  test('a file that is larger than the disk is refused before anything is allocated for it', async () => {
    const claimedSizes = { 'model.safetensors': 1e15 };
    hub.repositories.set('org/small', { files, claimedSizes });
    await expect(fetch()).rejects.toMatchObject({ status: 507, message: /not enough disk space/ });
    // A disk of a size that no disk has: the table of segments stays small all the same.
    hub.repositories.set('org/small', { files, claimedSizes: { 'model.safetensors': 2 ** 52 } });
    await expect(fetch(hub.endpoint, async () => Number.MAX_SAFE_INTEGER)).rejects.toThrow();
  });

  test('more files than any model has are refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`f${at}`, '']));
    hub.repositories.set('org/small', { files: many, bareListing: true });
    await expect(fetch()).rejects.toThrow('lists more than 20000 files');
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'a file or a model named %s is like any other',
    async (name) => {
      const named = Object.fromEntries([...Object.entries(files), [name, '{}']]);
      hub.repositories.set('org/small', { files: named });
      await fetch();
      const [commit = ''] = readdirSync(join(root, 'hub', 'models--org--small', 'snapshots'));
      const snapshot = join(root, 'hub', 'models--org--small', 'snapshots', commit);
      expect(readdirSync(snapshot).sort()).toEqual(Object.keys(files));
    },
  );

  test('file names that no disk takes, headers without an end and a redirect to a file are refused', async () => {
    hub.repositories.set('org/small', { files: { ...files, [`${'x'.repeat(300)}.json`]: '{}' } });
    await expect(fetch()).rejects.toThrow('which is refused');
    hub.fault = () => ({ headerKilobytes: 32 });
    await expect(fetch()).rejects.toThrow('headers that are too large');
    hub.fault = () => ({ status: 302, headers: { location: 'file:///etc/passwd' } });
    await expect(fetch()).rejects.toThrow('an address that is not HTTP');
    hub.fault = () => ({ status: 302, headers: { location: '/again' } });
    await expect(fetch()).rejects.toThrow('redirects more than 6 times');
  });

  test.each([401, 403, 404, 410, 418])('its %i never becomes ours', async (status) => {
    hub.fault = () => ({ status });
    const error = await failure();
    expect(error).toBeInstanceOf(UpstreamFailed);
    expect((error as Problem).status).toBe(502);
    expect(isTemporary(error)).toBe(false);
  });

  test('a name that does not resolve is said in words', async () => {
    const error = await failure('http://hub.invalid');
    expect(error).toMatchObject({
      code: 'unknown_host',
      message: expect.stringMatching(/^the name hub\.invalid does not resolve \(E\w+\): check the network/),
    });
  });
});
