import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../src/contracts/management/jobs.ts';
import { commitOf, type HubServer, startHub } from './testkit/models/hub-server.ts';
import { safetensorsOf } from './testkit/models/safetensors.ts';
import { writeTinyModel } from './testkit/models/tiny-model.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { until } from './testkit/until.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
let hub: HubServer;
let folder: string;
let platform: RunningPlatform | undefined;

beforeEach(async () => {
  hub = await startHub();
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
});
afterEach(async () => {
  await platform?.kill();
  platform = undefined;
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = async () => {
  platform = await startPlatform({
    cwd: folder,
    env: { HF_ENDPOINT: hub.endpoint, HF_HOME: join(folder, 'hf'), HF_TOKEN: 'hf_good' },
  });
  return platform;
};
const roundhouse = (...args: string[]) => {
  const running = promisify(execFile)(process.execPath, [main, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ROUNDHOUSE_DATA_DIR: join(folder, 'data') },
  });
  const ended = running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
  return Object.assign(ended, { child: running.child });
};
const api = async (path: string, method = 'GET') =>
  (await fetch(`${platform?.url}/api/v1/${path}`, { method })).json() as Promise<never>;

describe('roundhouse models', () => {
  it('add --wait, list, remove; a failure is told and is the exit code', async () => {
    writeTinyModel(join(folder, 'tiny.gguf'));
    hub.repositories.set('org/tiny', {
      private: true,
      files: { 'tiny-Q8_0.gguf': readFileSync(join(folder, 'tiny.gguf')) },
    });
    const { output } = await start();
    const added = await roundhouse('models', 'add', 'org/tiny:Q8_0', '--wait');
    expect(added).toMatchObject({ code: 0, stdout: 'DOWNLOAD_org/tiny:Q8_0 is done\n' });
    expect((await roundhouse('models', 'list')).stdout).toMatch(/org\/tiny:Q8_0 +llm llama .* llamacpp/);
    const failed = await roundhouse('models', 'add', 'org/none', '--wait', '--json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('org/none'),
    });
    expect(await roundhouse('models', 'remove', 'org/tiny:Q8_0')).toMatchObject({ code: 0 });
    expect(JSON.parse((await roundhouse('models', 'list', '--json')).stdout)).toEqual([]);
    expect(await roundhouse('models', 'remove', 'org/tiny:Q8_0')).toMatchObject({
      code: 1,
      stderr: "roundhouse: model 'org/tiny:Q8_0' was not found\n",
    });
    expect(output()).not.toContain('hf_good');
  });

  it('import <folder>, with no hub in reach', async () => {
    await hub.stop();
    mkdirSync(join(folder, 'stick'));
    writeTinyModel(join(folder, 'stick', 'tiny.gguf'));
    await start();
    expect(await roundhouse('models', 'import', 'stick', '--id', 'ours/tiny', '--wait')).toMatchObject({
      code: 0,
      stdout: 'IMPORT_ours/tiny is done\n',
    });
    expect((await roundhouse('models', 'list')).stdout).toContain('ours/tiny');
  });
});

describe('kill -9 in the middle of a download', () => {
  it('the next start goes on with the same job from what is on disk, and so does who follows it', async () => {
    const weights = safetensorsOf({
      weight: { dtype: 'F32', shape: [12 * 2 ** 20], data: randomBytes(48 * 2 ** 20) },
    });
    const repository = { files: { 'config.json': '{}', 'model.safetensors': weights } };
    hub.repositories.set('org/big', repository);
    // 128 kB each 20 ms: slow enough to be caught in the middle.
    hub.fault = ({ server }) => (server === 'storage' ? { trickle: 2 ** 17 } : undefined);
    await start();
    const job: Job = await api('models/add/?model_id=org/big', 'POST');
    const followed = roundhouse('jobs', 'follow', job.id);
    let shown = '';
    followed.child.stderr?.on('data', (chunk) => {
      shown += chunk;
    });
    await until('it to be followed', () => shown.includes('DOWNLOAD_org/big'));
    await until('a good part of it', () => hub.sent > 20 * 2 ** 20);
    await platform?.kill();
    const late = roundhouse('jobs', 'follow', job.id);
    const [waiting] = await once(late.child.stderr as Readable, 'data');
    expect(waiting).toMatch(/^no platform is running at .*; retrying for two minutes\n$/);
    const before = hub.sent;
    hub.fault = () => undefined;
    await start();
    const ended = await until(
      'the job to end',
      async () => {
        const now: Job = await api(`jobs/${job.id}/status/`);
        return now.finished_at !== null && now;
      },
      60_000,
    );
    expect(ended).toMatchObject({ status: 'FINISHED', error: null });
    for (const ended of [followed, late])
      expect(await ended).toMatchObject({ code: 0, stdout: 'DOWNLOAD_org/big is done\n' });
    const snapshot = join(folder, 'hf', 'hub', 'models--org--big', 'snapshots', commitOf(repository));
    expect(readFileSync(join(snapshot, 'model.safetensors')).equals(weights)).toBe(true);
    expect(hub.sent - before).toBeLessThan(weights.length - 20 * 2 ** 20 + 16 * 2 ** 20);
  });
});
