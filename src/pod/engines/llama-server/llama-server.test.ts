import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../../../test/testkit/machine/is-alive.ts';
import { writeTinyAdapter, writeTinyModel } from '../../../../test/testkit/models/tiny-model.ts';
import { llamaServerProgram } from '../../../../test/testkit/pods/llama-server.ts';
import { requirement } from '../../../../test/testkit/requirement.ts';
import type { UpstreamEngine } from '../../engine.ts';
import { attachOpenai } from '../openai/attach-openai.ts';
import type { Progress, ServerOptions } from '../server/server-kind.ts';
import { startLlamaServer } from './llama-server.ts';

const server = await requirement('llama-server', async () => (await llamaServerProgram()) !== '');

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-llama-server-'));
const model = join(folder, 'tiny.gguf');
const adapterA = join(folder, 'a.gguf');
const adapterB = join(folder, 'b.gguf');
const engines: UpstreamEngine[] = [];

beforeAll(() => {
  writeTinyModel(model);
  writeTinyAdapter(adapterA, { seed: 2 });
  writeTinyAdapter(adapterB, { seed: 9 });
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(options: Partial<ServerOptions> = {}): Promise<UpstreamEngine> {
  const engine = await startLlamaServer({
    task: 'llm',
    model,
    servedModelName: 'tiny',
    command: await llamaServerProgram(),
    threads: 1,
    parallel: 2,
    maxModelLen: 256,
    environment: process.env,
    log: () => {},
    timing: { watch: 100, pause: 10 },
    ...options,
  });
  engines.push(engine);
  return engine;
}

/** Does what the pod's server does with a request: sets the model name and the engine's extra fields. */
async function complete(engine: UpstreamEngine, name: string, prompt = 'hello'): Promise<string> {
  const response = await fetch(`${engine.baseUrl}/v1/completions`, {
    method: 'POST',
    headers: { ...engine.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: engine.upstreamModel(name),
      prompt,
      max_tokens: 12,
      temperature: 0,
      ignore_eos: true,
      ...engine.bodyFields(name),
    }),
  });
  const body = (await response.json()) as { choices: { text: string }[] };
  return body.choices[0]?.text ?? '';
}

describe.skipIf(!server.available)('the llama-server engine', () => {
  test('starts, reports progress, keeps the log, and answers with the generated key', async () => {
    const progress: Progress[] = [];
    const lines: string[] = [];
    const engine = await start({
      onProgress: (step) => progress.push(step),
      log: (line) => lines.push(line),
    });
    const shares = progress.map(({ share }) => share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(progress.at(-1)?.text).toMatch(/loaded|listening/);
    expect(lines.join('\n')).toMatch(/loading model/);
    expect(engine.facts).toMatchObject({ engine: 'llama-server', contextLength: 256 });
    expect(engine.state()).toMatchObject({ ready: true, restarts: 0 });
    expect(await complete(engine, 'tiny')).not.toBe('');
    const stranger = await fetch(`${engine.baseUrl}/v1/completions`, { method: 'POST', body: '{}' });
    expect(stranger.status).toBe(401);
    // Every user of the machine can read command lines.
    const command = readFileSync(`/proc/${serverPid(engine)}/cmdline`, 'utf8');
    expect(command).not.toContain(engine.headers.authorization?.replace('Bearer ', ''));
    await expect.poll(() => engine.status().counted?.completionTokens).toBeGreaterThan(0);
    expect(engine.status()).toMatchObject({ running: 0, waiting: 0, parallel: 2 });
  });

  test('adapters are selected by name, can be loaded and unloaded, and leave the base unchanged', async () => {
    const plain = await start();
    const base = await complete(plain, 'tiny');
    const engine = await start({ adapters: [{ name: 'a', path: adapterA }] });
    const spokenByA = await complete(engine, 'a');
    expect(await complete(engine, 'tiny')).toBe(base);
    expect(spokenByA).not.toBe(base);

    await engine.loadAdapter('b', adapterB);
    expect(engine.adapters()).toEqual(['a', 'b']);
    const spokenByB = await complete(engine, 'b');
    expect([base, spokenByA]).not.toContain(spokenByB);
    expect(await complete(engine, 'a')).toBe(spokenByA);
    expect(await complete(engine, 'tiny')).toBe(base);

    await engine.unloadAdapter('a');
    expect(engine.adapters()).toEqual(['b']);
    expect(await complete(engine, 'b')).toBe(spokenByB);
    await expect(engine.unloadAdapter('a')).rejects.toMatchObject({ status: 404 });
    await expect(engine.loadAdapter('b', adapterA)).rejects.toMatchObject({ status: 409 });
    const text = join(folder, 'text.gguf');
    writeFileSync(text, 'no adapter');
    await expect(engine.loadAdapter('c', text)).rejects.toMatchObject({ status: 400 });
  });

  test('an adapter that does not fit is rejected with a reason, and the server keeps working', async () => {
    const engine = await start({ adapters: [{ name: 'a', path: adapterA }] });
    const before = await complete(engine, 'a');
    await expect(engine.loadAdapter('model', model)).rejects.toThrow(/general\.type to be 'adapter'/);
    expect(engine.adapters()).toEqual(['a']);
    expect(await complete(engine, 'a')).toBe(before);
  });

  test('when killed, it restarts with its adapters and counters', async () => {
    const engine = await start();
    await engine.loadAdapter('a', adapterA);
    const before = await complete(engine, 'a');
    await expect.poll(() => engine.status().counted?.completionTokens).toBe(12);
    const pid = serverPid(engine);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => engine.state()).toMatchObject({ ready: true, restarts: 2 });
    expect(isAlive(pid)).toBe(false);
    expect(await complete(engine, 'a')).toBe(before);
    await expect.poll(() => engine.status().counted?.completionTokens).toBe(24);
  });

  test('it gives up after too many failures, with a reason', async () => {
    const copy = join(folder, 'vanishing.gguf');
    writeTinyModel(copy);
    const engine = await start({ model: copy, timing: { watch: 100, pause: 1, failures: 2 } });
    truncateSync(copy, 200_000);
    process.kill(serverPid(engine), 'SIGKILL');
    expect(await engine.gone).toMatch(/llama-server could not start: .*corrupted or incomplete/);
    expect(engine.state().ready).toBe(false);
  });

  test('closing it leaves no processes behind', async () => {
    const engine = await start();
    const pid = serverPid(engine);
    await engine.close();
    expect(isAlive(pid)).toBe(false);
    await engine.close();
  });

  test.each<[string, Partial<ServerOptions>, string, RegExp]>([
    ['no model', { model: join(folder, 'nowhere.gguf') }, 'missing-file', /No model found at/],
    ['another file', { model: join(folder, 'other.gguf') }, 'corrupt-file', /invalid magic/],
    ['a strange flag', { extraArguments: ['--no-such-flag'] }, 'unsupported', /no-such-flag/],
    [
      'no program',
      { command: '/no/such/llama-server' },
      'missing-file',
      /does not exist or is not executable/,
    ],
    [
      'nothing on the PATH',
      { command: undefined, environment: { PATH: '/nowhere' } },
      'missing-file',
      /not installed/,
    ],
  ])('%s is rejected with a reason', async (_, options, failure, message) => {
    writeFileSync(join(folder, 'other.gguf'), 'this is not a model at all, but a long enough text');
    await expect(start(options)).rejects.toMatchObject({
      name: 'EngineStartFailed',
      failure,
      message: expect.stringMatching(message),
    });
  });
});

describe.skipIf(!server.available)('the openai engine', () => {
  test('serves a model of an external server', async () => {
    const behind = await start();
    const key = behind.headers.authorization?.replace('Bearer ', '') as string;
    const engine = await attachOpenai({ baseUrl: `${behind.baseUrl}/v1/`, key, timing: { watch: 50 } });
    engines.push(engine);
    expect(engine.baseUrl).toBe(behind.baseUrl);
    expect(engine.upstreamModel('whatever the pod calls it')).toBe('tiny');
    expect(await complete(engine, 'mine')).toBe(await complete(behind, 'tiny'));
    await expect.poll(() => engine.status().counted?.completionTokens).toBeGreaterThan(0);
    await expect(engine.loadAdapter('a', adapterA)).rejects.toMatchObject({ status: 400 });
  });

  test.each<[string, (url: string, key: string) => object, RegExp]>([
    [
      'an unknown model',
      (baseUrl, key) => ({ baseUrl, key, model: 'huge' }),
      /does not serve huge; its models: tiny/,
    ],
    ['nobody', () => ({ baseUrl: 'http://127.0.0.1:9' }), /No OpenAI-compatible server/],
  ])('refuses %s', async (_, options, message) => {
    const behind = await start();
    const key = behind.headers.authorization?.replace('Bearer ', '') as string;
    await expect(attachOpenai(options(behind.baseUrl, key) as { baseUrl: string })).rejects.toThrow(message);
  });
});

function serverPid(engine: UpstreamEngine): number {
  return engine.state().processId as number;
}
