import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DeploymentStack, knownModel, startDeployments } from '../testkit/deployments.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { writeTinyEmbedder } from '../testkit/models/tiny-onnx.ts';
import { until } from '../testkit/until.ts';

let files: string;
let stack: DeploymentStack;

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'deploy-slots-'));
  writeTinyModel(join(files, 'one.gguf'), { seed: 1 });
  writeTinyModel(join(files, 'two.gguf'), { seed: 5 });
  mkdirSync(join(files, 'encoder'));
  writeTinyEmbedder(
    join(files, 'encoder'),
    Array.from({ length: 32 }, (_, index) => [index, 1, 2]),
  );
  const models = new Map(
    [
      knownModel('one', join(files, 'one.gguf')),
      knownModel('two', join(files, 'two.gguf')),
      knownModel('encoder', join(files, 'encoder'), { task: 'embeddings', engines: ['onnx'] }),
    ].map((model) => [model.model_id, model]),
  );
  stack = await startDeployments({ folder: join(files, 'data'), models, drainTimeout: '1s' });
});
afterAll(async () => {
  await stack.close();
  rmSync(files, { recursive: true, force: true });
});

const ask = (model: string, prefix: string) =>
  stack.call('POST', `${prefix}/v1/completions`, { model, prompt: 'Once', max_tokens: 2 });
const slots = async () =>
  (await stack.call('GET', '/api/v1/slots/')).body.map(
    ({ slot, deployment }: { slot: string; deployment: { model_id: string } | null }) =>
      `${slot}: ${deployment?.model_id ?? '-'}`,
  );

it.each(['v1', 'docs', 'Code', 'a'.repeat(32), '1a', '__proto__', 'a_b', 'slots'])(
  '422 a slot named %s, and 404 what is below it',
  async (name) => {
    expect(await stack.call('POST', `/api/${name}/v1/deploy/`, { model_id: 'one' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'slot'] }] },
    });
    expect(await stack.call('GET', `/api/${name}/v1/deploy/`)).toMatchObject({ status: 404 });
    expect(await ask('one', `/api/${name}`)).toMatchObject({
      status: 404,
      body: { detail: `there is no slot '${name}'`, error: { code: 'not_found' } },
    });
  },
);

it('serves several models at once, each slot below its own path, until it is undeployed', async () => {
  const jobs = await Promise.all([
    stack.deploy({ model_id: 'one' }),
    stack.deploy({ model_id: 'two' }, 'code'),
    stack.deploy({ model_id: 'encoder' }, 'constructor'),
  ]);
  expect(jobs.map(({ status }) => status)).toEqual(['FINISHED', 'FINISHED', 'FINISHED']);
  expect(await slots()).toEqual([
    'chat: one',
    'embeddings: -',
    'rerank: -',
    'code: two',
    'constructor: encoder',
  ]);

  for (const prefix of ['/api/code', '/api', '']) {
    expect(await ask('two', prefix), prefix).toMatchObject({ status: 200, body: { model: 'two' } });
  }
  for (const prefix of ['/api/chat', '/inference'])
    expect((await ask('two', prefix)).status, prefix).toBe(404);
  expect((await ask('one', '/api/code')).status).toBe(404);
  expect(await ask('one', '/inference')).toMatchObject({ status: 200 });
  const body = { model: 'encoder', input: 'a' };
  expect(await stack.call('POST', '/api/constructor/v1/embeddings/', body)).toMatchObject({ status: 200 });
  expect((await stack.call('POST', '/api/constructor/v1/completions', { ...body, prompt: 'a' })).status).toBe(
    400,
  );
  expect((await stack.call('GET', '/api/code/v1/models')).body.data).toMatchObject([{ id: 'two' }]);
  expect((await stack.call('GET', '/api/code/v1/deploy/')).body).toMatchObject({ slot: 'code', ready: 1 });
  expect((await stack.call('GET', '/api/code/v1/deploy/status')).body).toMatchObject({ model_id: 'two' });

  // Its reference is that of this slot.
  const { body: described } = await stack.call('GET', '/api/code/docs/json');
  expect(described.info.title).toBe('Roundhouse code slot');
  expect(Object.keys(described.paths)).toContain('/api/code/v1/deploy/');
  expect(JSON.stringify(described)).not.toContain('{slot}');
  for (const path of ['/api/code/docs', '/api/code/docs/']) {
    const page = await (await fetch(stack.url + path)).text();
    const [, script = ''] = /src="([^"]*swagger-ui-bundle\.js)"/.exec(page) ?? [];
    expect((await fetch(new URL(script, stack.url + path))).status, path).toBe(200);
  }
  expect((await fetch(`${stack.url}/api/nobody/docs/`)).status).toBe(404);
});

it('the same model in two slots is served by the pods of both, unless they would answer differently', async () => {
  expect(
    await stack.call('POST', '/api/more/v1/deploy/', { model_id: 'two', max_model_len: 64 }),
  ).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("'two' is deployed to the code slot with another engine") },
  });
  expect(await stack.deploy({ model_id: 'two' }, 'more')).toMatchObject({ status: 'FINISHED' });
  expect(await ask('two', '/api/more')).toMatchObject({ status: 200 });
  await stack.call('POST', '/api/more/v1/deploy/interrupt/');
  await until('its pod to be gone', () => stack.launcher.list().length === 3);
  expect(await ask('two', '/api/code')).toMatchObject({ status: 200 });
});

it('is there after a restart, and gone with its deployment', async () => {
  await stack.close();
  stack = await startDeployments({ folder: join(files, 'data'), models: stack.models, drainTimeout: '1s' });
  await until('the slot to answer', async () => (await ask('two', '/api/code')).status === 200);

  expect(await stack.call('POST', '/api/code/v1/deploy/interrupt/')).toMatchObject({ status: 200 });
  expect(await slots()).not.toContain('code: two');
  expect(await ask('two', '/api/code')).toMatchObject({
    status: 404,
    body: { detail: "there is no slot 'code'" },
  });
  for (const path of ['v1/models', 'v1/deploy/', 'v1/deploy/status', 'docs/json']) {
    expect((await stack.call('GET', `/api/code/${path}`)).status, path).toBe(404);
  }
  await until('its pod to be gone', () => stack.launcher.list().length === 2);
  expect(await stack.call('POST', '/api/code/v1/deploy/interrupt/')).toMatchObject({ status: 404 });
});
