import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelFiles } from '../src/contracts/management/model-files.ts';
import { writeTinyModel } from './testkit/models/tiny-model.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { until } from './testkit/until.ts';

const main = join(import.meta.dirname, '../src/cli/main.ts');
const admin = 'rh-0123456789012345678901234567890123456789';
const model = 'acme/тест';
const filesOf = (id: string) => `/api/v1/models/${encodeURIComponent(id)}/files/`;

const opened: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-join-'));
let platform: RunningPlatform;
let podsKey: string;
let inferenceKey: string;

const start = (args: string[] = []) =>
  startPlatform({
    cwd: folder,
    args,
    env: { ROUNDHOUSE_AUTH_OPEN: 'false', ROUNDHOUSE_ADMIN_TOKEN: admin },
  });

const call = (path: string, body?: unknown, key = admin) =>
  fetch(platform.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const keyWith = async (scope: string) => {
  const created = await call('/api/v1/keys/', { name: scope, scopes: [scope] });
  return ((await created.json()) as { key: string }).key;
};
const chat = (key = inferenceKey) =>
  call('/v1/chat/completions', { model, max_tokens: 2, messages: [{ role: 'user', content: 'hi' }] }, key);
const answers = () => until('it answers', async () => (await chat()).status === 200);

/** The command on a second machine, for which another loopback address and another data folder stand. */
function pod(...args: string[]) {
  const data = mkdtempSync(join(folder, 'second-'));
  const child = spawn(
    process.execPath,
    [main, 'pod', '--host', '127.0.0.2', '--port', '0', '--data-dir', data, ...args],
    { cwd: data, env: { PATH: process.env.PATH, HOME: data, HF_ENDPOINT: 'http://127.0.0.1:1' } },
  );
  opened.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return { child, data, output: () => output, exit: once(child, 'exit').then(([code]) => code as number) };
}

/** The one line that a pod which can't join prints. */
async function refusal(...args: string[]): Promise<string> {
  const { exit, output } = pod(...args);
  expect(await exit).not.toBe(0);
  const lines = output()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  return lines[0] as string;
}

beforeAll(async () => {
  platform = await start();
  const source = join(folder, 'source');
  mkdirSync(source);
  writeTinyModel(join(source, 'tiny.gguf'));
  await call('/api/v1/models/import/', { model_id: model, folder: source });
  podsKey = await keyWith('pods');
  inferenceKey = await keyWith('inference');
  await until('the model is imported', async () => (await call(filesOf(model))).status === 200);
});
afterAll(async () => {
  for (const child of opened) child.kill('SIGKILL');
  await platform.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe('pod --join', () => {
  test('serves behind the platform, outlives its restart, and leaves at once', async () => {
    const second = pod('--join', `${platform.url}/v1/`, '--key', podsKey, '--model', model);
    await until('it has joined', () => second.output().includes('is served through'));
    const answer = await chat();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-roundhouse-pod')).toContain(encodeURIComponent('тест'));
    const [copy = ''] = readdirSync(join(second.data, 'fetched'));
    expect(readFileSync(join(second.data, 'fetched', copy, 'tiny.gguf'))).toEqual(
      readFileSync(join(folder, 'source', 'tiny.gguf')),
    );
    const address = /this pod: (\S+?);/.exec(second.output())?.[1] ?? '';
    expect(address).toContain('http://127.0.0.2:');
    expect((await fetch(`${address}/v1/models`)).status).toBe(401);

    const { port } = new URL(platform.url);
    await platform.stop();
    platform = await start(['--port', port]);
    await answers();
    // The count of both answers can only be in a report that was sent since.
    await until('it reports again', async () => {
      const pods = (await (await call('/pods-info/', null)).json()) as { requests_success_total: number }[];
      return pods.some((record) => record.requests_success_total >= 2);
    });

    second.child.kill('SIGINT');
    await until('it is out', async () => (await chat()).status === 503);
    expect(await second.exit).toBe(0);
  });

  test('in one sentence: what keeps it from joining', async () => {
    const foreign = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const { port } = foreign.address() as AddressInfo;
    const to = ['--join', platform.url, '--key', podsKey];
    const refusals = await Promise.all([
      refusal('--join', platform.url, '--model', model),
      refusal('--join', platform.url, '--key', 'rh-wrong', '--model', model),
      refusal('--join', platform.url, '--key', inferenceKey, '--model', model),
      refusal('--join', 'http://127.0.0.1:1', '--key', podsKey, '--model', model),
      refusal('--join', `http://127.0.0.1:${port}`, '--key', podsKey, '--model', model),
      refusal(...to, '--model', model, '--advertise', `127.0.0.3:${port}`),
      refusal(...to, '--model', model, '--host', '127.0.0.1', '--port', String(port)),
      refusal(...to, '--model', 'constructor'),
      refusal(...to, '--model', 'org/nothing'),
    ]);
    foreign.close();
    expect(refusals).toEqual([
      expect.stringContaining('requires a key'),
      expect.stringContaining('does not know this key'),
      expect.stringContaining('lacks the scope pods'),
      expect.stringContaining('ECONNREFUSED'),
      expect.stringContaining('is not the address of a Roundhouse dispatcher'),
      expect.stringContaining(`can't reach this pod at http://127.0.0.3:${port}`),
      expect.stringContaining(`port ${port} on 127.0.0.1 is in use`),
      expect.stringContaining("'constructor' is neither"),
      expect.stringContaining("can't be fetched from the hub"),
    ]);
  });
});

describe('GET /api/v1/models/{id}/files/', () => {
  test('lists, and serves ranges by name', async () => {
    const { files } = (await (await call(filesOf(model), undefined, podsKey)).json()) as ModelFiles;
    expect(files).toEqual([{ path: 'tiny.gguf', size: expect.any(Number), hash: expect.anything() }]);
    const file = `${platform.url}${filesOf(model)}tiny.gguf`;
    const read = (headers: Record<string, string>) =>
      fetch(file, { headers: { authorization: `Bearer ${podsKey}`, ...headers } });
    const whole = Buffer.from(await (await read({})).arrayBuffer());
    const part = await read({ range: 'bytes=4-9' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 4-9/${whole.length}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(4, 10));
    expect((await read({ range: 'bytes=4-9', 'if-range': '"other"' })).status).toBe(200);
    const beyond = await read({ range: `bytes=${whole.length}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.length}`);
  });

  test('only for pods and admins, and only files of models', async () => {
    const statuses = await Promise.all(
      [
        call(filesOf(model), undefined, inferenceKey),
        call(filesOf(model), undefined, 'rh-wrong'),
        call(filesOf('constructor'), undefined, podsKey),
        call(`${filesOf(model)}..%2F..%2Froundhouse.db`, undefined, podsKey),
        call(`${filesOf(model)}%2e%2e%2fadmin-token`, undefined, podsKey),
        call(`${filesOf(model)}constructor`, undefined, podsKey),
      ].map(async (answer) => (await answer).status),
    );
    expect(statuses).toEqual([403, 401, 404, 404, 404, 404]);
  });
});

test("pod --model finds a model of this machine's library, with and without the platform", async () => {
  const serves = async () => {
    const beside = pod('--data-dir', join(folder, 'data'), '--model', model, '--key', podsKey);
    await until('it serves', () => beside.output().includes('the pod is ready'));
    beside.child.kill();
    expect(await beside.exit).toBe(0);
  };
  await serves();
  await platform.stop();
  await serves();
  expect(existsSync(join(folder, 'data', 'fetched'))).toBe(false);
});
