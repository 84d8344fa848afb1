import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import { commitOf, type HubServer, startHub } from '../../../test/testkit/models/hub-server.ts';
import { safetensorsOf } from '../../../test/testkit/models/safetensors.ts';
import { writeTinyModel } from '../../../test/testkit/models/tiny-model.ts';
import { until } from '../../../test/testkit/until.ts';
import { platformActor } from '../../contracts/actor.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { importModel } from '../../models/library/import-model.ts';
import type { ModelRecord } from '../../models/library/model-record.ts';
import { saveModel } from '../../models/library/models-store.ts';
import { saveArrived } from '../../models/library/save-arrived.ts';
import { type Models, openModels } from '../../models/open-models.ts';
import { processSpace, startOf } from '../../platform/processes/process-start.ts';
import { createWorkRunner, type WorkRunner } from '../../platform/queue/running/work-runner.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { managementService } from '../management-service.ts';

const actor = platformActor('test');
let hub: HubServer;
let folder: string;
let test: BuiltTestApp;
let runner: WorkRunner;
let gguf: Buffer;
let models: Models;
const deployed = new Set<string>();
let loaded: string[];

beforeEach(async () => {
  hub = await startHub();
  folder = mkdtempSync(join(tmpdir(), 'models-api-'));
  writeTinyModel(join(folder, 'tiny.gguf'));
  gguf = await readFile(join(folder, 'tiny.gguf'));
  deployed.clear();
  loaded = [];
  test = await buildTestApp(async (deps) => {
    models = await openModels({
      ...deps,
      config: {
        data_dir: join(folder, 'data'),
        hub: { endpoint: hub.endpoint, home: join(folder, 'hf') },
        packages: { pypi_index: hub.endpoint, maven_repository: hub.endpoint },
      },
      environment: {},
      engines: ['llamacpp', 'onnx'],
      isDeployed: (id) => deployed.has(id),
      deployedPaths: async () => loaded,
    });
    runner = createWorkRunner({
      ...deps,
      logger: silentLogger(),
      kinds: models.work,
      pollEvery: 50,
    });
    return [managementService({ ...deps, models: models.changes })];
  });
  runner.start();
});
afterEach(async () => {
  await runner.stop();
  await test.close();
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
  const answer = await test.app.inject({ method, url, ...(payload ? { payload } : {}) });
  return { status: answer.statusCode, body: answer.json() };
};
const ended = (id: string) =>
  until('the job to end', async () => {
    const { body } = await call('GET', `/api/v1/jobs/${id}/status/`);
    return ['FINISHED', 'FAILED', 'KILLED'].includes(body.status) ? (body as Job) : undefined;
  });
const add = async (id: string) =>
  ended((await call('POST', `/api/v1/models/add/?model_id=${encodeURIComponent(id)}`)).body.id);

const config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  max_position_embeddings: 2048,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  hidden_size: 64,
};
const llama = () => ({
  license: 'apache-2.0',
  pipelineTag: 'text-generation',
  files: {
    'config.json': JSON.stringify(config),
    'tokenizer_config.json': '{"chat_template":"{{ messages }}"}',
    'model.safetensors': safetensorsOf({
      'model.embed_tokens.weight': { dtype: 'BF16', shape: [100, 64] },
      'lm_head.weight': { dtype: 'F32', shape: [10] },
    }),
  },
});
const ggufs = () => ({
  files: {
    'tiny-Q4_K_M.gguf': gguf,
    'tiny-Q8_0-00001-of-00002.gguf': gguf,
    'tiny-Q8_0-00002-of-00002.gguf': gguf,
    'mmproj-F16.gguf': randomBytes(10),
  },
});

describe('POST /api/v1/models/add/', () => {
  it('200 a running job; then the model is listed with the facts in its files', async () => {
    hub.repositories.set('org/llama', llama());
    const started = await call('POST', '/api/v1/models/add/?model_id=org/llama');
    expect(started).toMatchObject({ status: 200, body: { name: 'DOWNLOAD_org/llama', status: 'RUNNING' } });
    const job = await ended(started.body.id);
    expect(job).toMatchObject({ status: 'FINISHED', error: null });
    expect(job.progress).toMatchObject({ unit: 'bytes', done: job.progress?.total });
    const { body } = await call('GET', '/api/v1/models');
    expect(body).toEqual([
      {
        model_id: 'org/llama',
        adapter: false,
        base_model_id: null,
        facts: {
          task: 'llm',
          architecture: 'LlamaForCausalLM',
          parameters: 6410,
          context_length: 2048,
          quantization: 'BF16',
          chat_template: true,
          license: 'apache-2.0',
          revision: commitOf(llama()),
          size_bytes: expect.any(Number),
          memory_bytes: expect.any(Number),
          engines: [],
          reason:
            'safetensors for llm needs vllm; available here: llamacpp, onnx; a GGUF version of it could be served',
        },
      },
    ]);
  });

  it('a quantisation of a GGUF repository, split or not; the default one if none is given', async () => {
    hub.repositories.set('org/ggufs', ggufs());
    expect(await add('org/ggufs:q8_0')).toMatchObject({ status: 'FINISHED' });
    expect(await add('org/ggufs')).toMatchObject({ status: 'FINISHED' });
    const paths = hub.requests
      .filter((request) => request.server === 'storage')
      .map((request) => request.path);
    expect(new Set(paths)).toEqual(
      // The parts are identical here, so they are downloaded once; the image projector is not downloaded.
      new Set(['/org/ggufs/tiny-Q8_0-00001-of-00002.gguf']),
    );
    const { body } = await call('GET', '/api/v1/models/');
    expect(body[1]).toMatchObject({
      model_id: 'org/ggufs',
      facts: {
        architecture: 'llama',
        context_length: 512,
        chat_template: true,
        task: 'llm',
        engines: ['llamacpp'],
      },
    });
    expect(body[0].facts.parameters).toBe(2 * body[1].facts.parameters);
    const wrong = await add('org/ggufs:Q2_K');
    expect(wrong).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/it has: Q4_K_M, Q8_0/) });
  });

  it('returns the running job while the model is being added; resumes after an interrupt', async () => {
    hub.repositories.set('org/llama', {
      files: { 'config.json': '{}', 'model.safetensors': randomBytes(9_000_000) },
    });
    hub.fault = ({ server }) => (server === 'storage' ? { trickle: 20_000 } : undefined);
    const first = await call('POST', '/api/v1/models/add/?model_id=org/llama');
    const second = await call('POST', '/api/v1/models/add/?model_id=org%2Fllama');
    expect(second.body.id).toBe(first.body.id);
    await until('some bytes', () => hub.sent > 1_500_000);
    expect(await call('POST', `/api/v1/jobs/${first.body.id}/interrupt/`)).toMatchObject({
      body: { status: 'KILLED' },
    });
    const third = await call('POST', '/api/v1/models/add/?model_id=org/llama');
    expect(third.body.id).not.toBe(first.body.id);
    await call('POST', `/api/v1/jobs/${third.body.id}/interrupt/`);
  });

  it('an adapter is listed with its base', async () => {
    hub.repositories.set('org/adapter', {
      files: {
        'adapter_config.json': JSON.stringify({ peft_type: 'LORA', base_model_name_or_path: 'org/llama' }),
        'adapter_model.safetensors': safetensorsOf({ a: { dtype: 'F32', shape: [2, 2] } }),
        'adapter_model.bin': randomBytes(20),
      },
    });
    await add('org/adapter');
    expect((await call('GET', '/api/v1/models/')).body).toMatchObject([
      {
        model_id: 'org/adapter',
        adapter: true,
        base_model_id: 'org/llama',
        facts: { architecture: 'LORA', parameters: 4 },
      },
    ]);
  });

  it('pickle files only if allowed', async () => {
    hub.repositories.set('org/pickled', {
      files: { 'config.json': '{}', 'pytorch_model.bin': randomBytes(50) },
    });
    expect(await add('org/pickled')).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('pickle'),
    });
    const asked = await call('POST', '/api/v1/models/add/?model_id=org/pickled&allow_pickle=true');
    expect(await ended(asked.body.id)).toMatchObject({ status: 'FINISHED' });
  });

  it('stays RUNNING while the hub is out of reach, says when it tries again, and holds up no other', async () => {
    await hub.stop();
    const ids = ['org/one', 'org/two', 'org/three'];
    const jobs: Job[] = [];
    for (const id of ids) jobs.push((await call('POST', `/api/v1/models/add/?model_id=${id}`)).body);
    const status = async ({ id }: Job) => (await call('GET', `/api/v1/jobs/${id}/status/`)).body as Job;
    for (const job of jobs) {
      const { message: words } = await until('the next try', async () => {
        const now = await status(job);
        expect(now).toMatchObject({ error: null, finished_at: null });
        const message = now.progress?.message ?? '';
        return now.status === 'RUNNING' && now.progress?.next_try_at ? { message } : undefined;
      });
      expect(words).toMatch(/can't be reached \(ECONNREFUSED\); next try at 20\d\d-/);
    }
    expect(await bring('beside', 'x.gguf')).toMatchObject({ status: 'FINISHED' });
    for (const { id } of jobs) {
      expect(await call('POST', `/api/v1/jobs/${id}/interrupt/`)).toMatchObject({ status: 200 });
    }
    expect(await status(jobs[0] as Job)).toMatchObject({ status: 'KILLED' });
    await hub.start();
  });

  it('422 an invalid id; a gated model fails with instructions', async () => {
    expect(await call('POST', '/api/v1/models/add/')).toMatchObject({ status: 422 });
    for (const id of ['a b', 'org/модель', 'a/b/c', 'org/..']) {
      expect(await call('POST', `/api/v1/models/add/?model_id=${encodeURIComponent(id)}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['query', 'model_id'] }] },
      });
    }
    hub.repositories.set('org/gated', { ...llama(), gated: true });
    expect(await add('org/gated')).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/accept its licence at .*org\/gated, then .*HF_TOKEN/),
    });
  });
});

describe('DELETE /api/v1/models/{model_id}', () => {
  it.each(['org/llama', 'org%2Fllama', 'org/llama/'])('200 frees the disk (%s)', async (path) => {
    hub.repositories.set('org/llama', llama());
    await add('org/llama');
    expect(existsSync(join(folder, 'hf', 'hub', 'models--org--llama'))).toBe(true);
    expect(await call('DELETE', `/api/v1/models/${path}`)).toMatchObject({
      status: 200,
      body: { model_id: 'org/llama' },
    });
    expect(existsSync(join(folder, 'hf', 'hub', 'models--org--llama'))).toBe(false);
    expect((await call('GET', '/api/v1/models/')).body).toEqual([]);
  });

  it('409 while it, or another model of its repository, is being added', async () => {
    hub.repositories.set('org/tiny', ggufs());
    await add('org/tiny:Q4_K_M');
    hub.fault = ({ path }) => (path.includes('Q8_0') ? { stall: true } : undefined);
    const { body: job } = await call('POST', '/api/v1/models/add/?model_id=org/tiny:Q8_0');
    expect(await call('DELETE', '/api/v1/models/org/tiny:Q8_0')).toEqual({
      status: 409,
      body: {
        detail: `the model 'org/tiny:Q8_0' is being added; interrupt the job ${job.id} first`,
      },
    });
    expect(await call('DELETE', '/api/v1/models/org/tiny:Q4_K_M')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`wait for the job ${job.id}, or interrupt it`) },
    });
    await call('POST', `/api/v1/jobs/${job.id}/interrupt/`);
    await until(
      'the way to be free',
      async () => (await call('DELETE', '/api/v1/models/org/tiny:Q4_K_M')).status === 200,
    );
  });

  it('409 while deployed, 404 unknown; keeps files that another model shares', async () => {
    hub.repositories.set('org/llama', llama());
    await add('org/llama');
    await add('org/llama@main');
    deployed.add('org/llama');
    expect(await call('DELETE', '/api/v1/models/org/llama')).toMatchObject({ status: 409 });
    expect(await call('DELETE', '/api/v1/models/org/none')).toEqual({
      status: 404,
      body: { detail: "model 'org/none' was not found" },
    });
    expect(await call('DELETE', '/api/v1/models/org/llama@main')).toMatchObject({ status: 200 });
    const snapshot = join(folder, 'hf', 'hub', 'models--org--llama', 'snapshots', commitOf(llama()));
    expect(existsSync(join(snapshot, 'model.safetensors'))).toBe(true);
  });
});

describe('POST /api/v1/models/import/', () => {
  it('401 without a key, in open mode too; with a key, imports a folder', async () => {
    const source = join(folder, 'stick');
    mkdirSync(source);
    writeFileSync(join(source, 'tiny-F32.gguf'), gguf);
    const body = { model_id: 'ours/tiny', folder: source };
    expect(await call('POST', '/api/v1/models/import/', body)).toMatchObject({ status: 401 });
    const job = await importModel(models.changes, actor, body);
    expect(await ended(job.id)).toMatchObject({ status: 'FINISHED', name: 'IMPORT_ours/tiny' });
    expect((await call('GET', '/api/v1/models/')).body).toMatchObject([
      { model_id: 'ours/tiny', facts: { quantization: 'F32', engines: ['llamacpp'] } },
    ]);
    expect(await call('DELETE', '/api/v1/models/ours/tiny')).toMatchObject({ status: 200 });
    expect(existsSync(join(source, 'tiny-F32.gguf'))).toBe(true);
    expect(imported()).toEqual([]);
  });

  it('each model has its own files, whatever its id, even one too long for a folder name', async () => {
    const long = `модели/${'я'.repeat(300)}`;
    for (const id of ['a/b', 'a--b', long]) {
      expect(await bring(id, `of ${id}.gguf`)).toMatchObject({ status: 'FINISHED', error: null });
    }
    expect(imported()).toHaveLength(3);
    expect(await call('DELETE', '/api/v1/models/a/b')).toMatchObject({ status: 200 });
    expect(await call('DELETE', `/api/v1/models/${encodeURIComponent(long)}`)).toMatchObject({ status: 200 });
    const left = await models.library.find('a--b');
    expect(existsSync(left?.entry ?? '')).toBe(true);
    expect(left?.facts.reason).toBeNull();
  });

  it('importing again creates a new folder; the old one is deleted, at the next start if pods may still load it', async () => {
    await bring('ours/tiny', 'one.gguf');
    const first = (await models.library.find('ours/tiny'))?.folder as string;
    loaded = [join(first, 'one.gguf')];
    await bring('ours/tiny', 'two.gguf');
    const second = (await models.library.find('ours/tiny'))?.folder as string;
    expect(imported().sort()).toEqual([basename(first), basename(second)].sort());
    await models.sweep();
    expect(imported()).toHaveLength(2);
    loaded = [];
    await models.sweep();
    expect(imported()).toEqual([basename(second)]);
    await bring('ours/tiny', 'three.gguf');
    await until('the old folder to go', () => imported().length === 1);
    expect((await models.library.find('ours/tiny'))?.files).toEqual(['three.gguf']);
  });

  it('202 a short name of the catalog is the id on the hub', async () => {
    const answer = await call('POST', '/api/v1/models/add/?model_id=qwen3-8b');
    expect(JSON.stringify(answer)).toContain('DOWNLOAD_Qwen/Qwen3-8B-GGUF:Q4_K_M');
  });

  it('409 the name of a starter model or of a trained adapter', async () => {
    const [starter] = models.changes.catalog;
    await expect(bring(starter?.id ?? '', 'x.gguf')).rejects.toThrow('is the name of a starter model');
    await bring('law', 'x.gguf');
    const record = await models.library.find('law');
    await saveModel(test.deps.database, { ...(record as NonNullable<typeof record>), source: 'training' });
    await expect(bring('law', 'y.gguf')).rejects.toThrow("the name 'law' is taken");
    expect(await call('POST', '/api/v1/models/add/?model_id=law')).toMatchObject({ status: 409 });
  });

  it('FAILED in words for a folder that is not a model: the root, one with too many files, links out of it, a pipe', async () => {
    // Refused before there is a job, or by the job.
    const failure = (source: string) =>
      importModel(models.changes, actor, { model_id: 'x', folder: source }).then(
        async ({ id }) => (await ended(id)).error,
        (error: Error) => error.message,
      );
    expect(await failure('/')).toMatch(/^the folder \/ (does not look like a model|is not a model's)/);
    const many = mkdtempSync(join(folder, 'many-'));
    for (let at = 0; at <= 5_000; at++) writeFileSync(join(many, `${at}.gguf`), '');
    expect(await failure(many)).toBe(
      `the folder ${many} is not a model's: it has more than 5000 files and folders`,
    );
    const linked = mkdtempSync(join(folder, 'linked-'));
    symlinkSync('/etc/passwd', join(linked, 'model.gguf'));
    expect(await failure(linked)).toMatch(/model\.gguf is a link out of the folder \(to \/etc\/passwd\)$/);
    const piped = mkdtempSync(join(folder, 'piped-'));
    execFileSync('mkfifo', [join(piped, 'model.gguf')]);
    expect(await failure(piped)).toMatch(/model\.gguf is not a regular file$/);
    const circular = mkdtempSync(join(folder, 'circular-'));
    symlinkSync(circular, join(circular, 'again'));
    expect(await failure(circular)).toContain('does not look like a model');
    expect(existsSync(join(folder, 'data', 'imported')) ? imported() : []).toEqual([]);
  });

  it('takes a snapshot of the hub cache, whose links lead to its blobs', async () => {
    hub.repositories.set('org/tiny', ggufs());
    await add('org/tiny:Q4_K_M');
    const { folder: snapshot = '' } = (await models.library.find('org/tiny:Q4_K_M')) ?? {};
    const job = await importModel(models.changes, actor, { model_id: 'copy', folder: snapshot });
    expect(await ended(job.id)).toMatchObject({ status: 'FINISHED', error: null });
  });

  it('a failed import leaves nothing behind', async () => {
    const source = mkdtempSync(join(folder, 'damaged-'));
    writeFileSync(join(source, 'damaged.gguf'), 'not a GGUF file');
    const job = await ended((await importModel(models.changes, actor, { model_id: 'x', folder: source })).id);
    expect(job).toMatchObject({ status: 'FAILED', error: expect.stringContaining('not a readable GGUF') });
    expect(imported()).toEqual([]);
  });

  it('a start sweeps what a crash left, but not what another process is importing', async () => {
    const place = join(folder, 'data', 'imported');
    for (const name of ['crashed-1.partial', 'crashed-2', 'running-3.partial', 'running-3'])
      mkdirSync(join(place, name), { recursive: true });
    writeFileSync(
      join(place, 'crashed-2.lock'),
      JSON.stringify({ space: processSpace(), pid: 2 ** 22 + 1, started: '1' }),
    );
    const other = spawn('sleep', ['60']);
    const pid = other.pid ?? 0;
    writeFileSync(
      join(place, 'running-3.lock'),
      JSON.stringify({ space: processSpace(), pid, started: startOf(pid) }),
    );
    await models.sweep();
    expect(readdirSync(place).sort()).toEqual(['running-3', 'running-3.lock', 'running-3.partial']);
    other.kill('SIGKILL');
    await until('its end', () => startOf(pid) === null);
    await models.sweep();
    expect(readdirSync(place)).toEqual([]);
  });

  it('a start sweeps conversions without a writer, and those of models that are gone', async () => {
    const place = join(folder, 'data', 'converted');
    const snapshot = join(folder, 'hf', 'hub', 'models--a--b', 'snapshots', 'c');
    for (const at of [place, snapshot]) mkdirSync(at, { recursive: true });
    writeFileSync(join(place, 'aa-bb-cc.gguf.partial'), '');
    writeFileSync(join(place, 'aa-bb-dd.gguf'), '');
    loaded = [join(place, 'aa-bb-ee.gguf')];
    writeFileSync(loaded[0] as string, '');
    for (const name of ['model-F16.gguf.partial', 'model-Q8_0.gguf.partial'])
      writeFileSync(join(snapshot, name), '');
    utimesSync(join(snapshot, 'model-F16.gguf.partial'), 1, 1);
    await models.sweep();
    expect(readdirSync(place)).toEqual(['aa-bb-ee.gguf']);
    expect(readdirSync(snapshot)).toEqual(['model-Q8_0.gguf.partial']);
  });

  it('the old files stay until the new model is committed', async () => {
    await bring('ours/tiny', 'one.gguf');
    const first = (await models.library.find('ours/tiny')) as ModelRecord;
    // A job whose commit fails, as where the database is gone at that moment.
    const context = {
      signal: new AbortController().signal,
      finish: async () => Promise.reject(new Error('no database')),
    };
    const next = { ...first, folder: `${first.folder}-next`, source: 'folder' as const };
    await expect(saveArrived(context, next)).rejects.toThrow('no database');
    expect(existsSync(first.entry)).toBe(true);
    // A crash right after the commit: the next start deletes what was replaced.
    await saveArrived(
      { ...context, finish: async (effect) => void (await test.deps.database.transaction(effect)) },
      next,
    );
    expect(existsSync(first.entry)).toBe(true);
    await models.sweep();
    expect(existsSync(first.folder)).toBe(false);
  });

  it.each(['constructor', '__proto__', 'toString'])('a model named %s is like any other', async (name) => {
    expect(await models.library.find(name)).toBeUndefined();
    expect(await call('DELETE', `/api/v1/models/${name}`)).toMatchObject({ status: 404 });
    expect(await call('GET', `/api/v1/jobs/${name}/status/`)).toMatchObject({ status: 404 });
    expect(await bring(name, 'x.gguf')).toMatchObject({ status: 'FINISHED', name: `IMPORT_${name}` });
    expect((await models.library.find(name))?.id).toBe(name);
    expect(await call('DELETE', `/api/v1/models/${name}`)).toMatchObject({ status: 200 });
  });

  it('refuses what is no folder before it starts a job', async () => {
    const bringFrom = (place: string) => importModel(models.changes, actor, { model_id: 'x', folder: place });
    await expect(bringFrom('/nowhere')).rejects.toThrow(
      "the folder /nowhere can't be read: it does not exist on the machine that runs the platform",
    );
    await expect(bringFrom(join(folder, 'tiny.gguf'))).rejects.toThrow(
      'it is a file; give the folder that contains it',
    );
    expect(await test.deps.queue.list({})).toEqual([]);
  });
});

const imported = () =>
  readdirSync(join(folder, 'data', 'imported')).filter((name) => !name.endsWith('.lock'));
/** From a folder that holds it under this name alone. */
async function bring(id: string, file: string): Promise<Job> {
  const source = mkdtempSync(join(folder, 'stick-'));
  writeFileSync(join(source, file.replaceAll('/', '-').slice(-100)), gguf);
  return ended((await importModel(models.changes, actor, { model_id: id, folder: source })).id);
}

describe('a model whose files were deleted by others', () => {
  it('from the catalog: still listed, with the reason, and can be removed', async () => {
    hub.repositories.set('org/tiny', ggufs());
    await add('org/tiny');
    const place = join(folder, 'data', 'models', 'gone');
    mkdirSync(place, { recursive: true });
    const files = [{ path: 'gone.gguf', size: 1, sha256: '0', source: 'test', checked: 0 }];
    const about = { id: 'gone', title: '', task: 'llm', engine: 'llamacpp', licence: 'MIT', origin: 'org/x' };
    writeFileSync(join(place, 'model.json'), JSON.stringify({ ...about, pulled_at: '2026-01-01', files }));
    mkdirSync(join(folder, 'data', 'models', 'torn'));
    writeFileSync(join(folder, 'data', 'models', 'torn', 'model.json'), '{"id":');
    const { status, body } = await call('GET', '/api/v1/models/');
    expect(status).toBe(200);
    expect(body).toMatchObject([
      {
        model_id: 'gone',
        facts: { engines: [], reason: expect.stringMatching(/^it is damaged: gone.gguf is missing in /) },
      },
      { model_id: 'org/tiny' },
    ]);
    expect(await call('DELETE', '/api/v1/models/gone')).toMatchObject({ status: 200 });
    expect(existsSync(place)).toBe(false);
  });

  it('from the hub: the reason says to add it again, which restores it', async () => {
    hub.repositories.set('org/tiny', ggufs());
    await add('org/tiny:Q4_K_M');
    rmSync(join(folder, 'hf'), { recursive: true });
    const facts = async () => (await call('GET', '/api/v1/models/')).body[0].facts;
    expect(await facts()).toMatchObject({ engines: [], reason: expect.stringMatching(/; add it again$/) });
    expect(await add('org/tiny:Q4_K_M')).toMatchObject({ status: 'FINISHED' });
    expect(await facts()).toMatchObject({ engines: ['llamacpp'], reason: null });
  });
});

describe('a model that has changed on the hub', () => {
  it('adding it again replaces the old version, whose files are deleted unless pods may still load them', async () => {
    const snapshots = () => readdirSync(join(folder, 'hf', 'hub', 'models--org--tiny', 'snapshots'));
    const commits = ['a', 'b', 'c'].map((letter) => letter.repeat(40));
    const release = (commit: string | undefined) =>
      hub.repositories.set('org/tiny', { ...ggufs(), commit: commit as string });
    release(commits[0]);
    await add('org/tiny:Q4_K_M');
    loaded = [(await models.library.find('org/tiny:Q4_K_M'))?.entry as string];
    release(commits[1]);
    await add('org/tiny:Q4_K_M');
    expect(snapshots().sort()).toEqual([commits[0], commits[1]]);
    release(commits[2]);
    await add('org/tiny:Q4_K_M');
    await until('the second to go', () => snapshots().length === 2);
    expect(snapshots().sort()).toEqual([commits[0], commits[2]]);
    expect((await models.library.find('org/tiny:Q4_K_M'))?.revision).toBe(commits[2]);

    // Back to the first version, whose files are still there.
    release(commits[0]);
    await add('org/tiny:Q4_K_M');
    loaded = [];
    await until('the third to go', async () => {
      await models.sweep();
      return snapshots().length === 1;
    });
    expect(snapshots()).toEqual([commits[0]]);
    expect(existsSync((await models.library.find('org/tiny:Q4_K_M'))?.entry ?? '')).toBe(true);
    loaded = [(await models.library.find('org/tiny:Q4_K_M'))?.entry as string];
    release(commits[1]);
    await add('org/tiny:Q4_K_M');
    loaded = [];
    expect(await call('DELETE', '/api/v1/models/org/tiny:Q4_K_M')).toMatchObject({ status: 200 });
    expect(existsSync(join(folder, 'hf', 'hub', 'models--org--tiny'))).toBe(false);
  });
});
