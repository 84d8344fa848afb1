import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlannedPods } from '../../src/contracts/dispatcher/pod-plan.ts';
import type { PodStarter, PodToLaunch } from '../../src/contracts/launching.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { startingPod } from '../testkit/pods/launched-pod.ts';

describe('POST /create-pods/ and /deploy-pods/', () => {
  let dispatcher: RunningDispatcher;
  let folder: string;
  let launched: Map<string, PodToLaunch>;
  let log: string[];

  const launcher: PodStarter = {
    async start(pod) {
      log.push(`start ${pod.pod_id}`);
      launched.set(pod.pod_id, pod);
      // As a real launcher, it takes a while.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return startingPod(pod.pod_id);
    },
    async stop(podId) {
      log.push(`stop ${podId}`);
      launched.delete(podId);
    },
    get: (podId) => (launched.has(podId) ? startingPod(podId) : undefined),
  };
  const write = (text: string) => writeFileSync(join(folder, 'pods.yaml'), text);
  const post = async (path: string) => {
    const response = await fetch(dispatcher.url + path, { method: 'POST' });
    return {
      status: response.status,
      body: (await response.json()) as PlannedPods & { detail: { loc: unknown[] }[] },
    };
  };
  const start = () =>
    startDispatcher({ folder, launcher, config: { pods: { file: join(folder, 'pods.yaml') } } });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roundhouse-plans-'));
    launched = new Map();
    log = [];
    dispatcher = await start();
  });
  afterEach(async () => {
    await dispatcher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const chat = { engine: 'llamacpp', task: 'llm', model_name: 'org/Chat-1B', served_model_name: 'chat' };
  const vectors = { engine: 'onnx', task: 'embeddings', model_name: 'minilm' };
  const file = (...pods: object[]) => JSON.stringify({ pods });

  it('creates what the file lists, each replica a pod of its own', async () => {
    write(file({ ...chat, replicas: 2 }, vectors));
    const { status, body } = await post('/create-pods/');
    expect(status).toBe(200);
    expect(body.pods).toEqual([
      { id: 0, pod_id: 'llm-chat-1', ...chat, status: 'created' },
      { id: 1, pod_id: 'llm-chat-2', ...chat, status: 'created' },
      { id: 2, pod_id: 'embeddings-minilm-1', ...vectors, served_model_name: 'minilm', status: 'created' },
    ]);
    expect((await post('/create-pods')).body).toEqual(body);
    expect(log).toEqual([]);
  });

  it('starts one by its number, or all; an unknown number is 404, no number 422', async () => {
    write(file(chat, { ...vectors, dtype: 'float32', gpu_id: 1 }));
    await post('/create-pods/');
    const one = await post('/deploy-pods/?id=1');
    expect(one.body.pods.map((pod) => pod.status)).toEqual(['created', 'starting']);
    expect(launched.get('embeddings-minilm-1')).toEqual({
      pod_id: 'embeddings-minilm-1',
      engine: 'onnx',
      task: 'embeddings',
      model: 'minilm',
      dtype: 'float32',
      gpu_id: '1',
    });
    expect((await post('/deploy-pods/')).body.pods.map((pod) => pod.status)).toEqual([
      'starting',
      'starting',
    ]);
    expect((await post('/deploy-pods/?id=7')).status).toBe(404);
    const wrong = await post('/deploy-pods/?id=first');
    expect(wrong.status).toBe(422);
    expect(wrong.body.detail[0]?.loc).toEqual(['query', 'id']);
  });

  it('engine options reach the pods; replicas divide the GPUs', async () => {
    const options = { max_model_len: 4096, gpu_memory_utilization: 0.8, extra_arguments: ['--seed', '7'] };
    const large = { engine: 'vllm', task: 'llm', model_name: 'org/large', ...options };
    write(
      file({ ...large, gpus: [0, 1, 2, 3], replicas: 2 }, { ...large, gpu_id: '4,5', tensor_parallel: null }),
    );
    await post('/create-pods/');
    await post('/deploy-pods/');
    const started = [...launched.values()].map(({ gpu_id, tensor_parallel }) => [gpu_id, tensor_parallel]);
    expect(started).toEqual([
      ['0,1', 2],
      ['2,3', 2],
      ['4,5', 2],
    ]);
    expect(launched.get('llm-org-large-1')).toMatchObject({ ...options, model: 'org/large' });
    expect(launched.get('llm-org-large-1')).not.toHaveProperty('gpus');

    write(
      file(
        { ...large, gpus: [0], gpu_id: 1, tensor_parallel: 2, extra_arguments: ['--host', '0.0.0.0'] },
        { ...vectors, gpus: [0], extra_arguments: ['--x'], gpu_memory_utilization: 0.5 },
      ),
    );
    const { status, body } = await post('/create-pods/');
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }) => loc.slice(2).join('.')).toSorted()).toEqual([
      '0.extra_arguments',
      '0.gpu_id',
      '0.tensor_parallel',
      '1.extra_arguments',
      '1.gpus',
    ]);
  });

  it('two pods deployed at the same moment are both kept', async () => {
    write(file(chat, vectors));
    await post('/create-pods/');
    await Promise.all([post('/deploy-pods/?id=0'), post('/deploy-pods/?id=1')]);
    await dispatcher.close();
    log = [];
    dispatcher = await start();
    expect(log).toEqual(['start llm-chat-1', 'start embeddings-minilm-1']);
  });

  it('does just what has changed in the file', async () => {
    write(file(chat, vectors));
    await post('/create-pods/');
    await post('/deploy-pods/');
    log = [];
    write(file({ ...chat, max_model_len: 2048 }, { engine: 'onnx', task: 'rerank', model_name: 'ranker' }));
    const { body } = await post('/create-pods/');
    expect(body.pods.map((pod) => [pod.pod_id, pod.status])).toEqual([
      ['llm-chat-1', 'created'],
      ['rerank-ranker-1', 'created'],
    ]);
    expect(log).toEqual(['stop embeddings-minilm-1']);
    await post('/deploy-pods/');
    expect(log).toEqual(['stop embeddings-minilm-1', 'start llm-chat-1', 'start rerank-ranker-1']);
    expect(launched.get('llm-chat-1')?.max_model_len).toBe(2048);
  });

  it('what was deployed runs again after a restart', async () => {
    write(file(chat, vectors));
    await post('/create-pods/');
    await post('/deploy-pods/?id=0');
    await dispatcher.close();
    log = [];
    dispatcher = await start();
    expect(log).toEqual(['start llm-chat-1']);
  });

  it('404 without a file, 422 with all that is wrong in it', async () => {
    expect((await post('/create-pods/')).status).toBe(404);
    write('pods: [{engine: warp, task: llm, model_name: x}, {engine: onnx, task: llm, modelname: x}]');
    const { status, body } = await post('/create-pods/');
    expect(status).toBe(422);
    const places = body.detail.map(({ loc }) => loc.join('.'));
    expect(places).toContain('pods.yaml.pods.0.engine');
    expect(places).toContain('pods.yaml.pods.1.modelname');
    write('pods: [');
    expect((await post('/create-pods/')).status).toBe(422);
  });
});
