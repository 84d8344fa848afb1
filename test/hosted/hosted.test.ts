import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey, ApiKeyCreated } from '../../src/contracts/api-keys.ts';
import type { Account, RegisterResponse } from '../../src/contracts/hosted/accounts.ts';
import type { Job } from '../../src/contracts/management/jobs.ts';
import { docx } from '../testkit/documents/office-files.ts';
import { npmPackages, pythonPackages } from '../testkit/machine/installed-packages.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { writeTinyEmbedder } from '../testkit/models/tiny-onnx.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { requirement } from '../testkit/requirement.ts';
import { until } from '../testkit/until.ts';

const execute = promisify(execFile);
const main = join(import.meta.dirname, '../../src/cli/main.ts');

let packages = '';
let python = '';
const [npm, pypi] = await Promise.all([
  requirement('npm clients', async () => {
    packages = await npmPackages('clients', ['cohere-ai@8.1.0', 'unstructured-client@0.31.0']);
  }),
  requirement('python clients', async () => {
    python = await pythonPackages('clients', [
      'unstructured-client==0.46.4',
      'langchain-unstructured==1.0.1',
    ]);
  }),
]);

let cwd: string;
let platform: RunningPlatform;
let key: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'roundhouse-hosted-'));
  storeModel('tiny-chat', 'llm', 'llamacpp', (folder) => {
    writeTinyModel(join(folder, 'tiny.gguf'));
  });
  storeModel('tiny-embedder', 'embeddings', 'onnx', (folder) => {
    const table = Array.from({ length: 10 }, (_, at) => [at + 1, 10 - at]);
    writeTinyEmbedder(folder, table);
  });
  platform = await startPlatform({
    cwd,
    env: { ROUNDHOUSE_HOSTED_REGISTRATION: 'approval', ROUNDHOUSE_HOSTED_REGISTRATIONS_PER_HOUR: '50' },
  });
  await Promise.all([deploy('chat', 'tiny-chat'), deploy('embeddings', 'tiny-embedder')]);
  key = (await signUp('dev@example.org')).key;
  await roundhouse('accounts', 'approve', 'DEV@example.org');
});
afterAll(async () => {
  await platform?.stop();
  rmSync(cwd, { recursive: true, force: true });
});

/** A model that is here as those of the catalog are. */
function storeModel(id: string, task: string, engine: string, write: (folder: string) => void): void {
  const folder = join(cwd, 'data', 'models', id);
  mkdirSync(folder, { recursive: true });
  write(folder);
  const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = written.map(({ name, parentPath }) => {
    const { size, mtimeMs } = statSync(join(parentPath, name));
    const path = relative(folder, join(parentPath, name));
    return { path, size, sha256: '0'.repeat(64), source: 'test', checked: mtimeMs };
  });
  const about = { id, title: id, task, engine, licence: 'none', origin: `org/${id}` };
  const manifest = { ...about, pulled_at: new Date().toISOString(), files };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(manifest));
}

const adminKey = () => readFileSync(join(cwd, 'data/admin-token'), 'utf8').trim();

async function send<Answer>(method: string, path: string, body?: unknown, bearer = adminKey()) {
  const response = await fetch(platform.url + path, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

async function deploy(slot: string, model_id: string): Promise<void> {
  const { body } = await send<Job>('POST', `/api/${slot}/v1/deploy/`, { model_id });
  await until(
    `${model_id} is served`,
    async () => {
      const { body: job } = await send<Job>('GET', `/api/v1/jobs/${body.id}/status/`);
      if (job.status === 'FAILED') throw new Error(JSON.stringify(job));
      return job.status === 'FINISHED';
    },
    60_000,
  );
}

const signUp = async (email: string) =>
  (await send<RegisterResponse>('POST', '/hosted/v1/register', { email })).body;

async function roundhouse(...args: string[]) {
  const env = { PATH: process.env.PATH, ROUNDHOUSE_DATA_DIR: join(cwd, 'data'), TMPDIR: cwd };
  const child = spawn(process.execPath, [main, ...args], { cwd, env });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, error };
}

async function json<Answer>(...args: string[]): Promise<Answer> {
  const { code, out, error } = await roundhouse(...args, '--json');
  expect([code, error]).toEqual([0, '']);
  return JSON.parse(out) as Answer;
}

describe('clients, by changing the URL', () => {
  it("OpenAI's: chat, streamed chat, embeddings and models by the names of services", async () => {
    const client = new OpenAI({ baseURL: `${platform.url}/hosted/v1`, apiKey: key, maxRetries: 0 });
    const chat = {
      model: 'Service-LLM',
      messages: [{ role: 'user' as const, content: 'Hi' }],
      max_tokens: 4,
    };
    const answer = await client.chat.completions.create(chat);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
    let pieces = 0;
    for await (const _ of await client.chat.completions.create({ ...chat, stream: true })) pieces++;
    expect(pieces).toBeGreaterThan(1);
    const vectors = await client.embeddings.create({ model: 'Service-Embedding', input: ['red', 'blue'] });
    expect(vectors.data.map(({ embedding }) => embedding.length)).toEqual([2, 2]);
    const models = (await client.models.list()).data.map(({ id }) => id);
    expect(models).toEqual(
      expect.arrayContaining(['Service-LLM', 'Service-Embedding', 'Service-ReRank', 'tiny-chat']),
    );
    await expect(client.chat.completions.create({ ...chat, model: 'constructor' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it.runIf(npm.available)("Unstructured's from npm: a DOCX file", async () => {
    const { UnstructuredClient } = createRequire(join(packages, 'package.json'))('unstructured-client');
    const client = new UnstructuredClient({
      serverURL: `${platform.url}/hosted`,
      security: { apiKeyAuth: key },
    });
    const files = { content: docx(), fileName: 'отчёт.docx' };
    const elements = await client.general.partition({
      partitionParameters: { files, strategy: 'auto', languages: ['rus', 'eng'], coordinates: true },
    });
    const title = { type: 'Title', text: 'Отчёт', metadata: { filename: 'отчёт.docx' } };
    expect(elements).toContainEqual(
      expect.objectContaining({ ...title, metadata: expect.objectContaining(title.metadata) }),
    );
    expect(elements.some(({ type }: { type: string }) => type === 'Table')).toBe(true);
  });

  it.runIf(pypi.available)(
    "Unstructured's and LangChain's from PyPI: a DOCX file",
    async () => {
      const path = join(cwd, 'report.docx');
      writeFileSync(path, docx());
      const script = join(import.meta.dirname, 'layout_clients.py');
      const { stdout } = await execute(python, [script, `${platform.url}/hosted`, key, path], {
        timeout: 60_000,
      });
      const { elements, refused, documents } = JSON.parse(stdout);
      expect(elements).toContainEqual(['Title', 'Отчёт']);
      expect(refused).toBe(401);
      expect(documents).toContainEqual(['CompositeElement', expect.stringContaining('Продажи')]);
    },
    90_000,
  );

  it.runIf(npm.available)("Cohere's: rerank", async ({ skip }) => {
    const { status } = await send('POST', '/hosted/v2/rerank', {}, key);
    if (status === 404) skip('/hosted/v2/rerank is not served');
    const { CohereClientV2 } = createRequire(join(packages, 'package.json'))('cohere-ai');
    const client = new CohereClientV2({ token: key, environment: `${platform.url}/hosted` });
    const documents = ['red', 'blue'];
    const ranked = await client.rerank({ model: 'Service-ReRank', query: 'blue', documents, topN: 1 });
    expect(ranked.results[0]).toMatchObject({ index: 1, relevanceScore: expect.any(Number) });
  });
});

describe('roundhouse accounts', () => {
  it('lists, approves with limits and closes accounts, by e-mail address or id', async () => {
    expect((await roundhouse('accounts', 'list', '--status', 'closed')).out).toBe('no closed accounts\n');
    const { id, key: pending } = await signUp('Ann@example.org');
    for (const path of ['/hosted/v1/models', '/hosted/v1/key', '/hosted/v1/usage', '/api/v1/keys/'])
      expect(await send('GET', path, undefined, pending)).toMatchObject({ status: 403 });
    const listed = await roundhouse('accounts', 'list');
    expect(listed.out).toMatch(new RegExp(`^ID +E-MAIL .*\n(.*\n)*${id} +ann@example.org +pending `));
    const limits = ['--requests-per-minute', '60', '--models', 'Service-LLM,tiny-embedder'];
    const approved = await roundhouse('accounts', 'approve', 'ann@Example.org', ...limits);
    expect(approved).toMatchObject({
      code: 0,
      out: 'the account of ann@example.org is approved; requests per minute 60; models Service-LLM, tiny-embedder\n',
    });
    expect(await send('GET', '/hosted/v1/key', undefined, pending)).toMatchObject({ status: 200 });
    expect(await roundhouse('accounts', 'approve', id)).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /^roundhouse: the account of ann@example\.org is already active; .*: roundhouse keys update \S+\n$/,
      ),
    });
    expect((await json<Account>('accounts', 'close', id)).status).toBe('closed');
    expect(await send('GET', '/hosted/v1/key', undefined, pending)).toMatchObject({ status: 401 });
    expect(await roundhouse('accounts', 'close', 'constructor')).toMatchObject({
      code: 1,
      error: expect.stringContaining("no account 'constructor'"),
    });
  });
});

describe('roundhouse keys', () => {
  it('update changes only what is named; rotate replaces the secret', async () => {
    const created = await json<ApiKeyCreated>(
      ...['keys', 'create', '--name', 'портал', '--requests-per-minute', '60', '--tokens-per-month', '9'],
    );
    const changed = await json<ApiKey>(
      ...['keys', 'update', created.id, '--tokens-per-month', 'none', '--parallel-requests', '2'],
      ...['--expires', '2099-01-31'],
    );
    expect(changed).toMatchObject({ name: 'портал', scopes: ['inference'] });
    expect(changed.limits).toEqual({ requests_per_minute: 60, parallel_requests: 2 });
    const text = await roundhouse('keys', 'update', created.id, '--expires', 'never', '--name', 'new');
    expect(text.out).toBe(
      `key 'new' (${created.id}): inference; active; requests per minute 60; parallel requests 2\n`,
    );
    const rotated = await roundhouse('keys', 'rotate', created.id);
    expect(rotated.out).toMatch(/^rh-[A-Za-z0-9]{40}\n$/);
    expect(await send('GET', '/hosted/v1/key', undefined, created.key)).toMatchObject({ status: 401 });
    expect(await send('GET', '/hosted/v1/key', undefined, rotated.out.trim())).toMatchObject({ status: 200 });
    for (const [args, message] of [
      [[created.id], 'must change something'],
      [['constructor', '--name', 'x'], "key 'constructor' was not found"],
      [[created.id, '--tokens-per-month', 'many'], 'positive integer, or none'],
    ] as const)
      expect(await roundhouse('keys', 'update', ...args)).toMatchObject({
        code: 1,
        error: expect.stringContaining(message),
      });
  });
});

describe('roundhouse usage', () => {
  it('adds up by key and model, and names keys', async () => {
    const usage = () =>
      json<{ total: { requests: number }; models: { model: string }[] }>('usage', '--by', 'model');
    await until('usage is written', async () => (await usage()).total.requests >= 3);
    const { models } = await usage();
    expect(models.map(({ model }) => model)).toEqual(expect.arrayContaining(['tiny-chat', 'tiny-embedder']));
    const byKey = await roundhouse('usage', '--by', 'key', '--for-key', 'dev@example.org', '--from', '2d');
    expect(byKey.out).toMatch(/^KEY +REQUESTS .*\ndev@example\.org +\d.*\ntotal +\d.*\n$/);
    await send('POST', '/hosted/v1/register', { email: 'lee@example.org', name: 'Lee' });
    const byOwner = await roundhouse('usage', '--for-key', 'lee@example.org');
    expect(byOwner).toMatchObject({ code: 0, out: expect.stringContaining('no usage') });
    expect((await roundhouse('usage', '--to', '2020-01-31', '--from', '2020-01-01')).out).toBe(
      'no usage from 2020-01-01 to 2020-01-31 (UTC)\n',
    );
    expect((await roundhouse('usage', '--for-key', 'constructor')).error).toContain("no key 'constructor'");
    expect((await roundhouse('usage', '--from', '2020-02-30')).error).toContain('expected a day');
  });
});
