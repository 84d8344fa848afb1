import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PodRecord } from '../../src/contracts/dispatcher/pods.ts';
import type { Job } from '../../src/contracts/management/jobs.ts';
import { safetensorsOf } from '../testkit/models/safetensors.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { type RunningPlatform, startPlatform } from '../testkit/platform.ts';
import { until } from '../testkit/until.ts';

let cwd: string;
let platform: RunningPlatform;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'deployments-platform-'));
  for (const [index, id] of ['tiny-a', 'tiny-b'].entries()) storeModel(id, index + 1);
  platform = await startPlatform({ cwd });
});
afterEach(async () => {
  await platform.stop();
  rmSync(cwd, { recursive: true, force: true });
});

/** A model that is here as those of the catalog are. */
function storeModel(id: string, seed: number): void {
  const folder = join(cwd, 'data', 'models', id);
  mkdirSync(folder, { recursive: true });
  writeTinyModel(join(folder, 'tiny.gguf'), { seed });
  const { size, mtimeMs } = statSync(join(folder, 'tiny.gguf'));
  const files = [{ path: 'tiny.gguf', size, sha256: '0'.repeat(64), source: 'test', checked: mtimeMs }];
  const about = { id, title: id, task: 'llm', engine: 'llamacpp', licence: 'none', origin: `org/${id}` };
  const manifest = { ...about, pulled_at: new Date().toISOString(), files };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(manifest));
}

/** A LoRA adapter as PEFT writes it, over the output of both layers' attention. */
function writePeftAdapter(folder: string, base: string): void {
  const [width, rank] = [64, 4];
  const values = Float32Array.from({ length: width * rank }, (_, at) => Math.sin(at * 1.7));
  const matrix = (shape: number[]) => ({ dtype: 'F32', shape, data: Buffer.from(values.buffer) });
  const tensors = [0, 1].flatMap((layer) => {
    const stem = `base_model.model.model.layers.${layer}.self_attn.o_proj`;
    return [
      [`${stem}.lora_A.weight`, matrix([rank, width])],
      [`${stem}.lora_B.weight`, matrix([width, rank])],
    ] as const;
  });
  const settings = { peft_type: 'LORA', r: rank, lora_alpha: 8, target_modules: ['o_proj'] };
  mkdirSync(folder);
  writeFileSync(join(folder, 'adapter_model.safetensors'), safetensorsOf(Object.fromEntries(tensors)));
  const config = { ...settings, base_model_name_or_path: base };
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify(config));
}

async function roundhouse(...args: string[]) {
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const env = { PATH: process.env.PATH, ROUNDHOUSE_DATA_DIR: join(cwd, 'data') };
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

const json = { 'content-type': 'application/json' };
const get = async <Answer>(path: string) => (await fetch(platform.url + path)).json() as Promise<Answer>;
const completion = async (model: string) => {
  const body = JSON.stringify({ model, prompt: 'Once upon', max_tokens: 12, temperature: 0 });
  const answer = await fetch(`${platform.url}/inference/v1/completions`, {
    method: 'POST',
    headers: json,
    body,
  });
  return ((await answer.json()) as { choices: { text: string }[] }).choices[0]?.text;
};
const answers = async (model: string) => {
  const body = JSON.stringify({ model, prompt: 'a', max_tokens: 1 });
  return (await fetch(`${platform.url}/v1/completions`, { method: 'POST', headers: json, body })).ok;
};
const livePods = async (dispatcher = platform) => {
  const pods = (await (
    await fetch(`${dispatcher.url}/pods-info/`, { method: 'POST' })
  ).json()) as PodRecord[];
  return pods.filter(({ live }) => live).map(({ model_name }) => model_name);
};

test('the command line deploys, tells and stops; a platform killed in the middle of a deployment loses nothing', {
  timeout: 300_000,
}, async () => {
  expect(await roundhouse('deploy', 'nobody')).toMatchObject({
    code: 1,
    error: expect.stringContaining('nobody is not in the library'),
  });
  const deployed = await roundhouse('deploy', 'tiny-a', '--wait');
  expect(deployed).toMatchObject({ code: 0, out: 'DEPLOY_tiny-a_adapters_ is done\n' });
  expect(deployed.error).toContain('1 of 1 pods');
  expect((await roundhouse('deploy', 'status')).out).toContain('chat serves tiny-a\n');
  expect(await roundhouse('deploy', 'status', '--slot', 'rerank')).toMatchObject({
    code: 0,
    out: 'rerank serves nothing\n',
  });
  expect(await answers('tiny-a')).toBe(true);

  const body = JSON.stringify({ model_id: 'tiny-b' });
  const posted = await fetch(`${platform.url}/api/v1/deploy/`, { method: 'POST', headers: json, body });
  const { id } = (await posted.json()) as Job;
  await until('it to run', async () => (await get<Job>(`/api/v1/jobs/${id}/status/`)).status === 'RUNNING');
  await platform.kill();

  platform = await startPlatform({ cwd });
  expect(await get('/api/v1/deploy/')).toMatchObject({ model_id: expect.stringMatching(/^tiny-/) });
  const followed = await roundhouse('jobs', 'follow', id, '--json');
  expect(JSON.parse(followed.out)).toMatchObject({ id, status: 'FINISHED' });
  expect(await get('/api/v1/deploy/')).toMatchObject({ model_id: 'tiny-b' });
  expect(await answers('tiny-b')).toBe(true);
  await until('only the new pod to live', async () => (await livePods()).join() === 'tiny-b');
  expect((await roundhouse('jobs', 'list')).out.split('\n')[1]).toContain('FINISHED');

  await platform.kill();
  platform = await startPlatform({ cwd });
  await until('the deployment to be back', () => answers('tiny-b'));
  expect((await roundhouse('deploy', 'stop')).out).toBe('chat is being undeployed\n');
  await until('nothing to live', async () => (await livePods()).length === 0);
});

test('the command line serves several models at once and replaces none without a word; worker threads serve slots, too', async () => {
  await platform.stop();
  const smi = join(cwd, 'bin', 'nvidia-smi');
  mkdirSync(join(cwd, 'bin'));
  writeFileSync(smi, '#!/bin/sh\nprintf "0, 70000, 81559\\n1, 500, 81559\\n"\n', { mode: 0o755 });
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, ROUNDHOUSE_DISPATCHER_WORKERS: '2' };
  platform = await startPlatform({ cwd, env });
  const wrong = await roundhouse(
    'deploy',
    'tiny-a',
    '--gpus',
    '1,7',
    '--tensor-parallel',
    '3',
    '--',
    '--seed',
    '1',
  );
  expect(wrong.error).toContain('--gpus: there is no GPU 7: this machine has GPU 0, 1');
  expect(wrong.error).toContain('--tensor-parallel: llamacpp divides a model among its GPUs by itself');
  expect(wrong.error).toContain('arguments after --: llamacpp runs inside the pod');
  for (const [flag, value, words] of [
    ['--slot', 'docs', 'is the name of another path'],
    ['--gpu-memory-utilization', '3', '--gpu-memory-utilization: must be less than or equal to 1'],
    ['--engine', 'llama', '--engine: must be'],
  ] as const) {
    const refused = await roundhouse('deploy', 'tiny-a', flag, value);
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(words) });
  }
  const options = ['--gpus', '1', '--max-model-len', '96', '--gpu-memory-utilization', '0.5'];
  expect(await roundhouse('deploy', 'tiny-a', ...options, '--wait')).toMatchObject({ code: 0 });
  expect(await roundhouse('deploy', 'tiny-b', '--wait')).toMatchObject({
    code: 1,
    error: expect.stringContaining(
      'chat serves tiny-a; use --yes to replace it, or --slot <name> to serve both',
    ),
  });
  expect(await roundhouse('deploy', 'tiny-b', '--slot', 'code', '--wait')).toMatchObject({ code: 0 });
  const { out } = await roundhouse('deploy', 'status');
  expect(out).toContain(
    'chat serves tiny-a\n  llamacpp, max_model_len 96, gpu_memory_utilization 0.5, gpus 1\n',
  );
  expect(out).toContain('code serves tiny-b\n  llamacpp\n');

  const ask = async () => {
    const body = JSON.stringify({ model: 'tiny-b', prompt: 'a', max_tokens: 1 });
    return (await fetch(`${platform.url}/api/code/v1/completions`, { method: 'POST', headers: json, body }))
      .status;
  };
  // New connections go to either worker.
  for (let count = 0; count < 8; count++) expect(await ask()).toBe(200);
  expect((await roundhouse('deploy', 'stop', '--slot', 'code')).out).toBe('code is being undeployed\n');
  await until('the slot to be gone', async () => (await ask()) === 404);
  const swapped = await roundhouse('deploy', 'tiny-b', '--yes', '--wait');
  expect(swapped.error).toContain('chat: tiny-b replaces tiny-a, which serves until tiny-b is ready\n');
  expect(swapped.code).toBe(0);
});

test('adapters as PEFT writes them: imported, converted and served over their base; that of another base is refused', async () => {
  writePeftAdapter(join(cwd, 'law'), 'org/tiny-a');
  writePeftAdapter(join(cwd, 'stranger'), 'org/other');
  for (const name of ['law', 'stranger']) {
    expect(await roundhouse('models', 'import', join(cwd, name), '--wait')).toMatchObject({ code: 0 });
  }
  expect(await roundhouse('deploy', 'tiny-a', '--adapter', 'stranger')).toMatchObject({
    code: 1,
    error: expect.stringContaining("'stranger' was made for 'org/other', not for 'tiny-a'"),
  });
  expect(await roundhouse('deploy', 'tiny-a', '--adapter', 'law', '--wait')).toMatchObject({ code: 0 });
  const plain = await completion('tiny-a');
  expect(plain).toBeTruthy();
  expect(await completion('law')).not.toBe(plain);
  const removed = await fetch(`${platform.url}/api/v1/models/law`, { method: 'DELETE' });
  expect(removed.status).toBe(409);
  // The adapter names the original of the model as its base.
  await roundhouse('deploy', 'stop');
  await until('nothing to live', async () => (await livePods()).length === 0);
  expect(await roundhouse('models', 'remove', 'tiny-a')).toMatchObject({
    code: 1,
    error: expect.stringContaining("'tiny-a' is the base of 'law'"),
  });
});

test('pods of a platform with keys: its settings reach them from wherever it has them', async () => {
  await platform.stop();
  const key = `rh-${'k'.repeat(40)}`;
  const settings = ['host: 0.0.0.0', `admin_token: ${key}`, 'telemetry: {log_format: pretty}'];
  writeFileSync(join(cwd, 'production.yaml'), settings.join('\n'));
  platform = await startPlatform({ cwd, args: ['--config', 'production.yaml'] });
  expect(platform.output()).toContain('as configured (admin_token)');
  const deployed = await roundhouse('deploy', 'tiny-a', '--wait', '--config', 'production.yaml');
  expect(deployed).toMatchObject({ code: 0 });
  const body = JSON.stringify({ model: 'tiny-a', prompt: 'a', max_tokens: 1 });
  const headers = { ...json, authorization: `Bearer ${key}` };
  const asked = await fetch(`${platform.url}/v1/completions`, { method: 'POST', headers, body });
  expect(asked.status).toBe(200);
  // People read this log, and every line of it.
  await until('its line', () =>
    /INFO +proxied request_id=\S+ path=\/v1\/completions /.test(platform.output()),
  );
  expect(platform.output()).not.toMatch(/^\{/m);
  const [pod] = readdirSync(join(cwd, 'data', 'pods'));
  const log = readFileSync(join(cwd, 'data', 'pods', pod as string, 'pod.log'), 'utf8');
  expect(log).toMatch(/INFO +pod the pod is ready/);
  expect(platform.output() + log).not.toContain(key);
});

test('management in a process of its own deploys to the dispatcher of another', async () => {
  await platform.stop();
  const dispatcher = await startPlatform({ args: ['--only', 'dispatcher'] });
  try {
    const env = { ROUNDHOUSE_DISPATCHER_URL: dispatcher.url };
    platform = await startPlatform({ cwd, args: ['--only', 'management'], env });
    const body = JSON.stringify({ model_id: 'tiny-a' });
    await fetch(`${platform.url}/api/v1/deploy/`, { method: 'POST', headers: json, body });
    const ended = await until(
      'the deployment to end',
      async () => {
        const { job } = await get<{ job: Job }>('/api/v1/deploy/status');
        return ['FINISHED', 'FAILED'].includes(job.status) && job;
      },
      90_000,
    );
    expect(ended).toMatchObject({ status: 'FINISHED', error: null });
    expect(await livePods(dispatcher)).toEqual(['tiny-a']);
    const question = JSON.stringify({ model: 'tiny-a', prompt: 'a', max_tokens: 1 });
    const asked = { method: 'POST', headers: json, body: question };
    expect(await (await fetch(`${platform.url}/api/v1/completions/`, asked)).json()).toMatchObject({
      model: 'tiny-a',
      usage: { completion_tokens: 1 },
    });
    // A named slot needs nothing from the dispatcher's process.
    const second = JSON.stringify({ model_id: 'tiny-b' });
    await fetch(`${platform.url}/api/code/v1/deploy/`, { method: 'POST', headers: json, body: second });
    await until('the named slot to answer', async () => {
      const named = { ...asked, body: question.replace('tiny-a', 'tiny-b') };
      return (await fetch(`${platform.url}/api/code/v1/completions`, named)).ok;
    });
    await fetch(`${platform.url}/api/code/v1/deploy/interrupt/`, { method: 'POST' });
    expect((await fetch(`${platform.url}/api/code/v1/completions`, asked)).status).toBe(404);
    await fetch(`${platform.url}/api/v1/deploy/interrupt/`, { method: 'POST' });
    await until('nothing to live', async () => (await livePods(dispatcher)).length === 0);
  } finally {
    await dispatcher.stop();
  }
});
