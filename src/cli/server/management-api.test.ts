import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openManagement, PlatformUnreachable } from './management-api.ts';
import { forgetAddress, rememberAddress } from './server-address.ts';

let dataDir: string;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'roundhouse-management-'));
  vi.stubEnv('ROUNDHOUSE_DATA_DIR', dataDir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0)) await close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function serve(name: string) {
  const server = createServer((_, response) => response.end(JSON.stringify({ name })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), 'close');
  };
  closers.push(close);
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, close };
}

describe('a platform that restarts', () => {
  it('is found at its new port, and no other is asked meanwhile', async () => {
    // What runs at the configured port belongs to somebody else.
    const stranger = await serve('stranger');
    vi.stubEnv('ROUNDHOUSE_PORT', String(stranger.port));
    const before = await serve('before');
    rememberAddress(dataDir, before.url);
    const api = await openManagement({});
    expect(await api.call('GET', 'jobs/')).toEqual({ name: 'before' });

    await before.close();
    forgetAddress(dataDir);
    for (const _ of [1, 2]) {
      await expect(api.call('GET', 'jobs/')).rejects.toBeInstanceOf(PlatformUnreachable);
    }
    const after = await serve('after');
    rememberAddress(dataDir, after.url);
    await expect(api.call('GET', 'jobs/')).rejects.toBeInstanceOf(PlatformUnreachable);
    expect(await api.call('GET', 'jobs/')).toEqual({ name: 'after' });
  });
});
