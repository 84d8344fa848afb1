import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { partNames } from '../src/parts.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';

const running: RunningPlatform[] = [];
afterEach(async () => {
  for (const platform of running.splice(0)) await platform.stop();
});

async function serve(...only: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'roundhouse-parts-'));
  const platform = await startPlatform({ cwd, args: ['--only', only.join(',')] });
  running.push(platform);
  const { parts } = (await (await fetch(`${platform.url}/readyz`)).json()) as { parts: object };
  const status = async (path: string) => (await fetch(platform.url + path)).status;
  return { ...platform, data: join(cwd, 'data'), parts: Object.keys(parts), status };
}

describe('serve --only', () => {
  it.each(partNames.map((name) => [name]))('%s alone starts and stops cleanly', async (name) => {
    const platform = await serve(name);
    expect(await platform.status('/healthz')).toBe(200);
    expect(await running.pop()?.stop()).toBe(0);
  });

  it('opens nothing that is not asked for', async () => {
    const platform = await serve('console');
    expect(platform.parts).toEqual(['blobs', 'database', 'disk']);
    expect(await platform.status('/')).toBe(200);
    expect(await platform.status('/v1/models')).toBe(404);
    expect(await platform.status('/api/v1/models/')).toBe(404);
    for (const folder of ['uploads', 'pods', 'imported', 'models']) {
      expect(existsSync(join(platform.data, folder)), folder).toBe(false);
    }
  });

  it('dispatcher: no models, deployments or jobs', async () => {
    const platform = await serve('dispatcher');
    expect(platform.parts).toContain('dispatcher');
    expect(await platform.status('/v1/models')).toBe(200);
    expect(await platform.status('/api/v1/jobs/')).toBe(404);
    expect(await platform.status('/api/chat/v1/models')).toBe(404);
    expect(readdirSync(platform.data)).not.toContain('imported');
  });

  it('index: not ready while its Qdrant server is away', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'roundhouse-parts-'));
    const env = { ROUNDHOUSE_VECTORS_URL: 'http://127.0.0.1:1' };
    const platform = await startPlatform({ cwd, args: ['--only', 'index'], env });
    running.push(platform);
    const answer = await fetch(`${platform.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      parts: { vectors: { ready: false, detail: 'The vector store (Qdrant) does not answer' } },
    });
  });

  it('chatbot: its own paths refuse in its own shape', async () => {
    const platform = await serve('chatbot');
    const answer = await fetch(`${platform.url}/v.1.0/nobody`, { method: 'POST' });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
  });
});
