import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InputIssue } from '../../src/contracts/problems.ts';
import { type DeploymentStack, knownModel, startDeployments } from '../testkit/deployments.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { writeStandInServer } from '../testkit/stand-in-server.ts';
import { until } from '../testkit/until.ts';

let files: string;
let stack: DeploymentStack;
let vllm: ReturnType<typeof writeStandInServer>;
const path = process.env.PATH;

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'deploy-options-'));
  for (const name of ['one', 'two', 'broken']) writeTinyModel(join(files, `${name}.gguf`));
  truncateSync(join(files, 'broken.gguf'), 100_000);
  vllm = writeStandInServer(join(files, 'bin'), 'vllm');
  process.env.PATH = `${vllm.folder}${delimiter}${path}`;
  stack = await startDeployments({ folder: join(files, 'data'), drainTimeout: '1s' });
  const add = (id: string, more: Parameters<typeof knownModel>[2] = {}) =>
    stack.models.set(id, knownModel(id, join(files, `${id}.gguf`), { quantization: 'F32', ...more }));
  add('one', { memory_bytes: 2e9, context_length: 256 });
  add('two', { memory_bytes: 2e9 });
  add('broken', { memory_bytes: 2e9 });
  add('large', { engines: ['vllm'], memory_bytes: 100e9 });
});
afterAll(async () => {
  await stack.close();
  process.env.PATH = path;
  rmSync(files, { recursive: true, force: true });
});

const ask = (model: string) =>
  stack.call('POST', '/api/v1/completions/', { model, prompt: 'Once', max_tokens: 2, temperature: 0 });
const refused = async (body: object) => {
  const { status, body: answer } = await stack.call('POST', '/api/v1/deploy/', body);
  const issues = Array.isArray(answer.detail) ? (answer.detail as InputIssue[]) : [];
  return { status, fields: issues.map(({ loc }) => loc[1]), text: JSON.stringify(answer.detail) };
};

describe('engine options', () => {
  it('422 with everything that is wrong, before a job starts', async () => {
    const wrong = {
      model_id: 'one',
      dtype: 'float16',
      gpus: [3],
      tensor_parallel: 2,
      extra_arguments: ['--seed', '1'],
    };
    const { status, fields, text } = await refused(wrong);
    expect({ status, fields: fields.toSorted() }).toEqual({
      status: 422,
      fields: ['dtype', 'extra_arguments', 'gpus', 'tensor_parallel'],
    });
    expect(text).toContain('float16 is not possible: llamacpp takes auto, F32');
    expect(text).toContain('there is no GPU 3: this machine has no GPU');
    expect(await refused({ model_id: 'one', max_model_len: 257 })).toMatchObject({
      status: 422,
      text: expect.stringContaining("'one' supports at most 256 tokens"),
    });
    expect(await refused({ model_id: 'one', engine: 'vllm' })).toMatchObject({
      status: 422,
      fields: ['engine'],
      text: expect.stringContaining("vllm can't serve it on this machine; possible: llamacpp"),
    });
    for (const argument of ['--host', '--port=80', '--api_key', '--max-model-len']) {
      const body = { model_id: 'large', extra_arguments: [argument, '0'] };
      expect(await refused(body), argument).toMatchObject({ status: 422, fields: ['extra_arguments'] });
    }
    const outside = { gpu_memory_utilization: 2, max_model_len: 0, gpus: [], constructor: 1 };
    expect((await refused({ model_id: 'one', ...outside })).fields.toSorted()).toEqual([
      'constructor',
      'gpu_memory_utilization',
      'gpus',
      'max_model_len',
    ]);
    expect((await stack.call('GET', '/api/v1/jobs/')).body).toEqual([]);
  });

  it('reach the engine of every pod, are shown, survive a restart; others replace the pods', async () => {
    stack.memory.gpus = [0, 1, 2, 3].map((index) => ({ index, free: 80e9, total: 80e9 }));
    const options = {
      engine: 'vllm',
      gpus: [0, 1, 2, 3],
      replicas: 2,
      max_model_len: 4096,
      gpu_memory_utilization: 0.8,
      extra_arguments: ['--seed', '7'],
    };
    const request = { model_id: 'large', ...options };
    expect(await refused({ ...request, gpus: [0, 1] })).toMatchObject({
      status: 507,
      text: expect.stringContaining('needs about 100.0 GB of GPU memory, but only 64.0 GB is free on GPU 0'),
    });
    expect(await stack.deploy(request)).toMatchObject({ status: 'FINISHED' });
    const given = vllm.starts().map(({ args, gpus, order }) => ({ gpus, order, text: args.join(' ') }));
    expect(given.map(({ gpus }) => gpus).toSorted()).toEqual(['0,1', '2,3']);
    for (const { text, order } of given) {
      expect(text).toContain('--max-model-len 4096 --gpu-memory-utilization 0.8 --tensor-parallel-size 2');
      expect(text).toMatch(/--seed 7$/);
      expect(order).toBe('PCI_BUS_ID');
    }
    expect((await stack.call('GET', '/api/v1/deploy/')).body).toMatchObject({ ...request, ready: 2 });

    expect(await stack.deploy(request)).toMatchObject({ status: 'FINISHED' });
    expect(vllm.starts()).toHaveLength(2);
    await stack.close();
    stack = await startDeployments({
      folder: join(files, 'data'),
      models: stack.models,
      drainTimeout: '1s',
    });
    await until('both pods', async () => (await stack.call('GET', '/api/v1/deploy/')).body.ready === 2);
    expect(
      vllm
        .starts()
        .slice(2)
        .map(({ gpus }) => gpus)
        .toSorted(),
    ).toEqual(['0,1', '2,3']);
    expect((await stack.call('GET', '/api/v1/deploy/')).body).toMatchObject(options);

    stack.memory.gpus = [0, 1, 2].map((index) => ({ index, free: index === 0 ? 9e9 : 80e9, total: 80e9 }));
    const other = { model_id: 'large', tensor_parallel: 2, max_model_len: 2048 };
    expect(await stack.deploy(other)).toMatchObject({
      status: 'FINISHED',
      progress: { message: "replaces 'large'" },
    });
    expect(vllm.starts()).toHaveLength(5);
    expect(vllm.starts()[4]).toMatchObject({ gpus: '1,2', args: expect.arrayContaining(['2048']) });
    await until('the old pods to be gone', () => stack.launcher.list().length === 1);
    await stack.call('POST', '/api/v1/deploy/interrupt/');
    await until('the pod to be gone', () => stack.launcher.list().length === 0);
    stack.memory.gpus = [];
  });
});

describe('a machine that can not hold two models', () => {
  it('507 with a way out; with replace the old one stops first, and is back if the new one fails', async () => {
    // Each pod takes 2 of 3 GB.
    const ram = { get: () => 3e9 - 2e9 * stack.launcher.list().length, configurable: true };
    Object.defineProperty(stack.memory, 'ram', ram);
    expect(await stack.deploy({ model_id: 'one' })).toMatchObject({ status: 'FINISHED' });
    const [first] = stack.launcher.list();
    expect(await refused({ model_id: 'two' })).toMatchObject({
      status: 507,
      text: expect.stringMatching(
        /about 2\.0 GB of memory, but only 1\.0 GB is free.*'one' serves until.*replace/,
      ),
    });
    expect(await refused({ model_id: 'two', replicas: 2 })).toMatchObject({
      text: expect.stringContaining("it would not fit without 'one' either"),
    });
    expect(await refused({ model_id: 'two', replicas: 2, replace: true })).toMatchObject({
      status: 507,
      text: expect.stringContaining("even when 'one' has been stopped"),
    });
    expect(stack.launcher.list()).toEqual([first]);

    expect(await stack.deploy({ model_id: 'two', replace: true })).toMatchObject({ status: 'FINISHED' });
    expect(stack.launcher.list()).toHaveLength(1);
    expect(await ask('two')).toMatchObject({ status: 200, body: { model: 'two' } });

    const failed = await stack.deploy({ model_id: 'broken', replace: true });
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/broken\.gguf.*; 'two' is being started again$/s),
    });
    await until('the old one to answer', async () => (await ask('two')).status === 200);
    expect((await stack.call('GET', '/api/v1/deploy/')).body).toMatchObject({ model_id: 'two' });

    const untilStopping = async () => {
      const { body: job } = await stack.call('POST', '/api/v1/deploy/', { model_id: 'one', replace: true });
      await until('the old one to stop', async () => {
        const { body } = await stack.call('GET', `/api/v1/jobs/${job.id}/status/`);
        return body.progress?.message?.includes("stopping 'two'");
      });
      return job.id as string;
    };
    await stack.call('POST', `/api/v1/jobs/${await untilStopping()}/interrupt/`);
    await until('the old one to answer', async () => (await ask('two')).status === 200);

    // Undeployed in the middle of it, nothing comes back.
    const job = await untilStopping();
    await stack.call('POST', '/api/v1/deploy/interrupt/');
    expect(await stack.ended(job)).toMatchObject({ status: 'KILLED' });
    await until('nothing to run', () => stack.launcher.list().length === 0);
    expect(await stack.call('GET', '/api/v1/deploy/')).toMatchObject({ status: 404 });
  });
});
