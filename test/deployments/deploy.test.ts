import { mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PodRecord } from '../../src/contracts/dispatcher/pods.ts';
import { type DeploymentStack, knownModel, startDeployments } from '../testkit/deployments.ts';
import { writeTinyAdapter, writeTinyModel } from '../testkit/models/tiny-model.ts';
import { writeTinyEmbedder } from '../testkit/models/tiny-onnx.ts';
import { until } from '../testkit/until.ts';

let files: string;
let stack: DeploymentStack;

beforeAll(() => {
  files = mkdtempSync(join(tmpdir(), 'deploy-models-'));
  writeTinyModel(join(files, 'one.gguf'), { seed: 1 });
  writeTinyModel(join(files, 'two.gguf'), { seed: 5 });
  writeTinyAdapter(join(files, 'law.gguf'), { seed: 2 });
  writeTinyAdapter(join(files, 'tax.gguf'), { seed: 3 });
  writeTinyModel(join(files, 'broken.gguf'));
  truncateSync(join(files, 'broken.gguf'), 100_000);
  const table = Array.from({ length: 32 }, (_, index) => [index, 1, 2]);
  mkdirSync(join(files, 'encoder'));
  writeTinyEmbedder(join(files, 'encoder'), table);
});
afterAll(() => rmSync(files, { recursive: true, force: true }));

beforeEach(async () => {
  stack = await startDeployments({ aliases: { 'gpt-4o-mini': 'org/one' } });
  const add = (model: ReturnType<typeof knownModel>) => stack.models.set(model.model_id, model);
  const facts = { rank: 4, target_modules: ['attn_q'], obstacle: null, improvement: 0.2 };
  const adapter = { base_model_id: 'org/one', ...facts };
  add(knownModel('org/one', join(files, 'one.gguf')));
  add(knownModel('org/two', join(files, 'two.gguf')));
  add(knownModel('org/broken', join(files, 'broken.gguf')));
  add(knownModel('law', join(files, 'law.gguf'), { adapter, names: [] }));
  add(knownModel('tax', join(files, 'tax.gguf'), { adapter, names: [] }));
  add(
    knownModel('stranger', join(files, 'law.gguf'), { adapter: { ...adapter, base_model_id: 'org/other' } }),
  );
  add(knownModel('encoder', join(files, 'encoder'), { task: 'embeddings', engines: ['onnx'] }));
});
afterEach(() => stack.close());

const ask = (model: string, path = '/api/v1/completions/', more: object = {}) =>
  stack.call('POST', path, { model, prompt: 'Once upon', max_tokens: 6, temperature: 0, ...more });

describe('POST /api/v1/deploy/', () => {
  it('deploys the same model again when its pod hangs; while no pod answers, it says why', async () => {
    await stack.deploy({ model_id: 'org/one' });
    const [first] = stack.launcher.list();
    process.kill(first?.pid ?? 0, 'SIGSTOP');
    expect(await stack.deploy({ model_id: 'org/one' })).toMatchObject({ status: 'FINISHED' });
    expect((await ask('org/one')).status).toBe(200);
    const second = await until('only the new pod to run', () => {
      const pods = stack.launcher.list();
      return pods.length === 1 && pods[0]?.pod_id !== first?.pod_id && pods[0];
    });
    process.kill(second.pid ?? 0, 'SIGKILL');
    const away = await until('it to be away', async () => {
      const { body } = await stack.call('GET', '/api/v1/deploy/');
      return body.ready === 0 && body;
    });
    expect(away.error).toMatch(/killed by SIGKILL/);
  });

  it('the rerank slot takes an embeddings model, and both doors rerank with it', async () => {
    expect(await stack.deploy({ model_id: 'encoder' }, 'rerank')).toMatchObject({ status: 'FINISHED' });
    const body = { model: 'encoder', query: 'a', documents: ['b', 'a'] };
    for (const path of ['/v1/rerank', '/api/rerank/v1/rerank/']) {
      const answer = await stack.call('POST', path, body);
      expect(answer, path).toMatchObject({ status: 200 });
      expect(answer.body.results).toHaveLength(2);
    }
  });

  it('404 an unknown model or adapter; 422 what does not fit together; nothing is started', async () => {
    const refused = async (body: object, slot = '') =>
      stack.call('POST', `/api${slot}/v1/deploy/`, body).then(({ status, body: answer }) => ({
        status,
        text: JSON.stringify(answer.detail),
      }));
    expect(await refused({ model_id: 'nobody' })).toEqual({
      status: 404,
      text: `"model 'nobody' was not found; add it first"`,
    });
    expect(await refused({ model_id: 'org/one', adapter_ids: ['nobody'] })).toMatchObject({ status: 404 });
    expect(await refused({ model_id: 'org/one', adapter_ids: ['stranger'] })).toMatchObject({
      status: 422,
      text: expect.stringContaining("'stranger' was made for 'org/other', not for 'org/one'"),
    });
    const many = Array.from({ length: 21 }, (_, index) => `a${index}`);
    expect(await refused({ model_id: 'org/one', adapter_ids: many })).toMatchObject({ status: 422 });
    expect(await refused({ model_id: 'org/one', dtype: 'float64' })).toMatchObject({ status: 422 });
    expect(await refused({ model_id: 'org/one', dtype: 'awq' })).toMatchObject({ status: 422 });
    expect(await refused({ model_id: 'law' })).toMatchObject({
      status: 422,
      text: expect.stringContaining("deploy 'org/one' with it"),
    });
    expect(await refused({ model_id: 'encoder' })).toMatchObject({ status: 422 });
    expect(await refused({ model_id: 'org/one' }, '/embeddings')).toMatchObject({ status: 422 });
    expect(await refused({ model_id: 'org/one', adapter_ids: ['law'], min_improvement: 0.5 })).toMatchObject({
      status: 422,
      text: expect.stringContaining('20.0 %'),
    });
    expect(stack.launcher.list()).toEqual([]);
    expect(await stack.call('GET', '/api/v1/jobs/')).toMatchObject({ body: [] });
  });

  it('507 with the numbers where it can not fit, before anything is stopped', async () => {
    stack.memory.ram = 3e9;
    stack.models.set('huge', knownModel('huge', join(files, 'one.gguf'), { memory_bytes: 2e9 }));
    expect(await stack.call('POST', '/api/v1/deploy/', { model_id: 'huge', replicas: 2 })).toMatchObject({
      status: 507,
      body: { detail: expect.stringContaining('about 4.0 GB of memory, but only 3.0 GB is free') },
    });
  });

  it('a job, then the model answers everywhere; adapters come and go without another load; undeployed it is gone', {
    timeout: 240_000,
  }, async () => {
    for (const path of ['deploy/', 'deploy/status']) {
      expect(await stack.call('GET', `/api/v1/${path}`)).toEqual({
        status: 404,
        body: { detail: 'nothing is deployed to the chat slot' },
      });
    }
    expect(await stack.call('POST', '/api/v1/deploy/interrupt/')).toMatchObject({ status: 404 });

    const started = await stack.call('POST', '/api/v1/deploy/', {
      model_id: 'org/one',
      adapter_ids: ['law'],
    });
    expect(started).toMatchObject({
      status: 200,
      body: { name: 'DEPLOY_org/one_adapters_law', status: 'CREATED' },
    });
    expect(await stack.ended(started.body.id)).toMatchObject({
      status: 'FINISHED',
      progress: { done: 1, total: 1, unit: 'pods' },
    });
    expect(await stack.call('GET', '/api/chat/v1/deploy/')).toEqual({
      status: 200,
      body: {
        model_id: 'org/one',
        adapter_ids: ['law'],
        slot: 'chat',
        engine: 'llamacpp',
        dtype: null,
        replicas: 1,
        ready: 1,
        error: null,
      },
    });
    expect(await stack.call('GET', '/api/v1/deploy/status')).toMatchObject({
      body: { model_id: 'org/one', adapter_ids: ['law'], job: { id: started.body.id, status: 'FINISHED' } },
    });

    const plain = await ask('org/one');
    expect(plain).toMatchObject({ status: 200, body: { object: 'text_completion', model: 'org/one' } });
    const text = plain.body.choices[0].text;
    for (const path of ['/inference/v1/completions', '/api/chat/v1/completions/', '/v1/completions']) {
      expect((await ask('org/one', path)).body.choices[0].text).toBe(text);
    }
    const withLaw = (await ask('law')).body.choices[0].text;
    expect(withLaw).not.toBe(text);
    expect((await stack.call('GET', '/inference/v1/models')).body.data).toMatchObject([
      { id: 'gpt-4o-mini', parent: 'org/one', alias: true },
      { id: 'law', parent: 'org/one' },
      { id: 'org/one', parent: null },
    ]);
    for (const path of ['/inference/v1/completions', '/api/chat/v1/completions', '/api/v1/completions']) {
      expect((await ask('gpt-4o-mini', path)).body.choices[0].text).toBe(text);
    }
    for (const path of ['/inference/v1/models/org/one', '/api/chat/v1/models/org%2Fone', '/v1/models/law']) {
      expect(await stack.call('GET', path)).toMatchObject({ status: 200, body: { object: 'model' } });
    }
    expect(await stack.call('GET', '/api/embeddings/v1/models/org/one')).toMatchObject({ status: 404 });
    expect(await stack.call('GET', '/inference/openapi.json')).toMatchObject({
      body: { paths: { '/inference/v1/completions/': {} } },
    });
    const streamed = await fetch(`${stack.url}/inference/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'org/one',
        messages: [{ role: 'user', content: 'hi' }],
        max_tokens: 3,
        stream: true,
      }),
    });
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    expect(await streamed.text()).toMatch(/data: \[DONE\]\s*$/);

    // Each surface refuses in its own shape.
    expect(await ask('nobody')).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
    expect(await ask('nobody', '/inference/v1/completions')).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found', param: 'model' } },
    });
    expect(await stack.call('POST', '/api/chat/v1/chat/completions/', { model: 'org/one' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'messages'], type: 'missing' }] },
    });

    const before = stack.launcher.list();
    expect(await stack.deploy({ model_id: 'org/one', adapter_ids: ['tax'] })).toMatchObject({
      status: 'FINISHED',
    });
    expect(stack.launcher.list().map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
    expect((await ask('tax')).body.choices[0].text).not.toBe(text);
    expect((await ask('org/one')).body.choices[0].text).toBe(text);
    await until('the old adapter to be unknown', async () => (await ask('law')).status === 404);

    // What was loaded by hand is there again after a crash of the pod.
    process.kill(stack.launcher.list()[0]?.pid as number, 'SIGKILL');
    await until('the pod to be back with its adapter', async () => (await ask('tax')).status === 200);

    const stopped = await stack.call('POST', '/api/v1/deploy/interrupt/');
    expect(stopped).toMatchObject({ status: 200, body: { status: 'RUNNING', finished_at: null } });
    await until('the process to be gone', () => stack.launcher.list().length === 0);
    expect(await stack.call('GET', '/api/v1/deploy/')).toMatchObject({ status: 404 });
    expect(await stack.call('GET', '/api/v1/deploy/status')).toMatchObject({ status: 404 });
    expect(await ask('org/one', '/inference/v1/completions')).toMatchObject({ status: 404 });
  });

  it('a deployment that fails says why in words and leaves the old one serving; so does one that is killed', {
    timeout: 240_000,
  }, async () => {
    expect(await stack.deploy({ model_id: 'org/one' })).toMatchObject({ status: 'FINISHED' });
    const failed = await stack.deploy({ model_id: 'org/broken' });
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining("the pod of 'org/broken' could not start: "),
    });
    expect(failed.error).toContain('broken.gguf');
    expect((await stack.call('GET', '/api/v1/deploy/')).body).toMatchObject({ model_id: 'org/one' });
    expect(await stack.call('GET', '/api/v1/deploy/status')).toMatchObject({
      body: { model_id: 'org/broken', job: { status: 'FAILED' } },
    });
    expect(await ask('org/one')).toMatchObject({ status: 200 });
    expect(stack.launcher.list()).toHaveLength(1);

    const { body: job } = await stack.call('POST', '/api/v1/deploy/', { model_id: 'org/two' });
    await until('its pod to start', () => stack.launcher.list().length === 2);
    expect(await stack.call('POST', `/api/v1/jobs/${job.id}/interrupt/`)).toMatchObject({
      body: { status: 'KILLED' },
    });
    await until('its pod to be gone', () => stack.launcher.list().length === 1);
    expect(await ask('org/one')).toMatchObject({ status: 200 });

    // The job that is shown as being stopped is that of what serves, not of the last attempt to replace it.
    expect(await stack.call('POST', '/api/v1/deploy/interrupt/')).toMatchObject({
      body: { name: 'DEPLOY_org/one_adapters_', status: 'RUNNING', error: null },
    });
  });

  it('deployed again, nothing is loaded anew unless the files of the model or an adapter are others by now', {
    timeout: 240_000,
  }, async () => {
    const request = { model_id: 'org/one', adapter_ids: ['law'] };
    const pids = () => stack.launcher.list().map(({ pid }) => pid);
    expect(await stack.deploy(request)).toMatchObject({ status: 'FINISHED' });
    const [before, text] = [pids(), (await ask('org/one')).body.choices[0].text];
    expect(await stack.deploy({ ...request, dtype: 'auto' })).toMatchObject({ status: 'FINISHED' });
    expect(pids()).toEqual(before);

    const come = (id: string, path: string) =>
      stack.models.set(id, { ...(stack.models.get(id) as ReturnType<typeof knownModel>), path });
    const withLaw = (await ask('law')).body.choices[0].text;
    come('law', join(files, 'tax.gguf'));
    expect(await stack.deploy(request)).toMatchObject({ status: 'FINISHED' });
    expect((await ask('law')).body.choices[0].text).not.toBe(withLaw);

    come('org/one', join(files, 'two.gguf'));
    expect(await stack.deploy(request)).toMatchObject({ status: 'FINISHED' });
    expect((await ask('org/one')).body.choices[0].text).not.toBe(text);
  });

  it('20 adapters give way to others without another load', { timeout: 240_000 }, async () => {
    const law = stack.models.get('law') as ReturnType<typeof knownModel>;
    const names = (from: string) => Array.from({ length: 20 }, (_, index) => `${from}${index}`);
    for (const model_id of [...names('a'), ...names('b')]) stack.models.set(model_id, { ...law, model_id });
    const request = { model_id: 'org/one', adapter_ids: names('a') };
    expect(await stack.deploy(request)).toMatchObject({ status: 'FINISHED' });
    const before = stack.launcher.list().map(({ pid }) => pid);
    expect(await stack.deploy({ ...request, adapter_ids: names('b') })).toMatchObject({ status: 'FINISHED' });
    expect(stack.launcher.list().map(({ pid }) => pid)).toEqual(before);
    expect(await ask('b19')).toMatchObject({ status: 200 });
    await until('the old ones to be unknown', async () => (await ask('a0')).status === 404);
  });

  it('an adapter that the engine refuses: FAILED with its words, the base and its adapters as before', async () => {
    expect(await stack.deploy({ model_id: 'org/one', adapter_ids: ['law'] })).toMatchObject({
      status: 'FINISHED',
    });
    stack.models.set('odd', {
      ...(stack.models.get('law') as ReturnType<typeof knownModel>),
      model_id: 'odd',
      path: join(files, 'two.gguf'),
    });
    expect(await stack.deploy({ model_id: 'org/one', adapter_ids: ['law', 'odd'] })).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining("Adapter 'odd' can't be used"),
    });
    expect((await stack.call('GET', '/api/v1/deploy/')).body.adapter_ids).toEqual(['law']);
    expect(await ask('law')).toMatchObject({ status: 200 });
  });
});

describe('POST /api/v1/deploy/interrupt/', () => {
  it('stops what is being deployed and what waits behind it, and takes down what serves', async () => {
    expect(await stack.deploy({ model_id: 'org/one' })).toMatchObject({ status: 'FINISHED' });
    const { body: second } = await stack.call('POST', '/api/v1/deploy/', { model_id: 'org/two' });
    const { body: third } = await stack.call('POST', '/api/v1/deploy/', { model_id: 'org/one', replicas: 2 });
    await until('its pod to start', () => stack.launcher.list().length === 2);
    expect(await stack.call('POST', '/api/v1/deploy/interrupt/')).toMatchObject({
      status: 200,
      body: { id: third.id, status: 'RUNNING' },
    });
    expect(['KILLED', 'FINISHED']).toContain((await stack.ended(second.id)).status);
    expect(await stack.ended(third.id)).toMatchObject({ status: 'KILLED' });
    await until('all processes to be gone', () => stack.launcher.list().length === 0);
    expect(await stack.call('GET', '/api/v1/deploy/')).toMatchObject({ status: 404 });
    expect(await stack.call('GET', '/api/v1/deploy/status')).toMatchObject({
      body: { job: { id: third.id, status: 'KILLED' } },
    });
    expect(await stack.deploy({ model_id: 'org/two' })).toMatchObject({ status: 'FINISHED' });
  });
});

describe('a swap', () => {
  it('under 5 requests a second to the deployed model: none fails, and the answers change over', {
    timeout: 240_000,
  }, async () => {
    expect(await stack.deploy({ model_id: 'org/one' })).toMatchObject({ status: 'FINISHED' });
    const answers: { status: number; model: string }[] = [];
    const running: Promise<void>[] = [];
    const load = setInterval(() => {
      running.push(
        ask('org/one', '/inference/v1/completions', { max_tokens: 40 }).then(({ status, body }) => {
          answers.push({ status, model: body.model });
        }),
      );
    }, 200);
    await until('some answers', () => answers.length >= 3);
    expect(await stack.deploy({ model_id: 'org/two', replicas: 2 })).toMatchObject({ status: 'FINISHED' });
    const served = () => answers.filter(({ model }) => model === 'org/two').length;
    await until('answers of the new one', () => served() >= 3);
    await until('the old pod to be gone', () => stack.launcher.list().length === 2);
    clearInterval(load);
    await Promise.all(running);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

describe('a restart of the platform', () => {
  it('in the middle of a swap: what was on its way out is known no more', {
    timeout: 240_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deployments-restart-'));
    const first = await startDeployments({ folder, models: stack.models });
    await first.deploy({ model_id: 'org/one' });
    await first.deploy({ model_id: 'org/two' });
    await first.close();
    const second = await startDeployments({ folder, models: stack.models });
    try {
      const names = async () =>
        (await second.call('POST', '/pods-info/')).body.map((pod: PodRecord) => pod.model_name);
      await until('the new one alone', async () => (await names()).join() === 'org/two');
    } finally {
      await second.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('brings the deployments back', { timeout: 240_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deployments-restart-'));
    const first = await startDeployments({ folder, models: stack.models });
    await Promise.all([
      first.deploy({ model_id: 'org/one', adapter_ids: ['law'] }),
      first.deploy({ model_id: 'encoder' }, 'embeddings'),
    ]);
    await first.close();
    const second = await startDeployments({ folder, models: stack.models });
    try {
      expect((await second.call('GET', '/api/v1/deploy/')).body).toMatchObject({ adapter_ids: ['law'] });
      const law = { model: 'law', prompt: 'a', max_tokens: 1 };
      await until(
        'the adapter to answer',
        async () => (await second.call('POST', '/inference/v1/completions', law)).status === 200,
        90_000,
      );
      const text = { model: 'encoder', input: 'a' };
      const embedded = await until(
        'the encoder to answer',
        async () => {
          const answer = await second.call('POST', '/api/embeddings/v1/embeddings/', text);
          return answer.status === 200 && answer;
        },
        90_000,
      );
      expect(embedded.body.data[0].embedding.length).toBeGreaterThan(0);
    } finally {
      await second.close();
    }

    // What can't come back is said where one looks for it, and not that it serves.
    renameSync(join(files, 'one.gguf'), join(files, 'away.gguf'));
    const third = await startDeployments({ folder, models: stack.models });
    try {
      const broken = await until('the reason', async () => {
        const { body } = await third.call('GET', '/api/v1/deploy/');
        return body.error?.includes('one.gguf') && body;
      });
      expect(broken).toMatchObject({
        model_id: 'org/one',
        ready: 0,
        error: expect.stringContaining('one.gguf'),
      });
    } finally {
      await third.close();
      renameSync(join(files, 'away.gguf'), join(files, 'one.gguf'));
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
