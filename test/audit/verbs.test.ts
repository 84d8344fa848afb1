import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/platform/audit/list-audit.ts';
import { knownModel, startDeployments } from '../testkit/deployments.ts';
import { startDispatcher } from '../testkit/dispatcher.ts';
import { writeTinyModel } from '../testkit/models/tiny-model.ts';
import { startingPod } from '../testkit/pods/launched-pod.ts';
import { FinetuningBench, python3 } from '../testkit/training/finetuning.ts';
import { until } from '../testkit/until.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-verbs-'));
  writeTinyModel(join(folder, 'one.gguf'), { seed: 1 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('deployments: started and interrupted by a caller, or by the platform for a starter', async () => {
  const stack = await startDeployments();
  try {
    stack.models.set('org/one', knownModel('org/one', join(folder, 'one.gguf')));
    await stack.starters.serve({ id: 'org/one', task: 'llm' }, AbortSignal.timeout(60_000));
    expect((await stack.call('POST', '/api/v1/deploy/', { model_id: 'nobody' })).status).toBe(404);
    const { body: job } = await stack.call('POST', '/api/chat/v1/deploy/', { model_id: 'org/one' });
    await stack.ended(job.id);
    expect((await stack.call('POST', '/api/v1/deploy/interrupt/')).status).toBe(200);
    expect((await stack.call('POST', '/api/embeddings/v1/deploy/interrupt/')).status).toBe(404);
    const body = await listAudit(stack, { limit: 100 });
    expect(body.entries.reverse()).toMatchObject([
      {
        action: 'deployment.start',
        subject: 'org/one',
        actor: { kind: 'platform', name: 'starter' },
        request_id: null,
        outcome: 'accepted',
      },
      {
        action: 'deployment.start',
        actor: { kind: 'anonymous' },
        details: { slot: 'chat', adapter_ids: [], replicas: 1, job: job.id },
      },
      { action: 'deployment.interrupt', subject: 'org/one', details: { slot: 'chat' }, outcome: 'done' },
    ]);
    expect(body.entries).toHaveLength(3);
  } finally {
    await stack.close();
  }
});

it('pods of pods.yaml: created and deployed, and not what pods report', async () => {
  const file = join(folder, 'pods.yaml');
  const dispatcher = await startDispatcher({
    closed: true,
    config: { pods: { file } },
    launcher: {
      start: async ({ pod_id }) => startingPod(pod_id),
      stop: async () => undefined,
      get: () => undefined,
    },
  });
  try {
    const { key, id } = await dispatcher.key({}, ['admin']);
    const post = async (path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const init = { method: 'POST', headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      return (await fetch(dispatcher.url + path, init)).status;
    };
    writeFileSync(file, '[{engine: onnx, task: embeddings, model_name: minilm, replicas: 2}]');
    expect(await post('/create-pods/')).toBe(200);
    expect(await post('/deploy-pods/?id=1')).toBe(200);
    expect(await post('/deploy-pods/')).toBe(200);
    expect(await post('/deploy-pods/?id=7')).toBe(404);
    expect(await post('/pods-info/', { pod_id: 'p', dead: true })).toBeLessThan(500);
    const { entries } = await listAudit(dispatcher, { limit: 100, actor: id });
    const pods = ['embeddings-minilm-1', 'embeddings-minilm-2'];
    expect(entries.reverse()).toMatchObject([
      { action: 'pods.create', subject: file, details: { created: pods, stopped: [] } },
      { action: 'pods.deploy', subject: pods[1], details: { pods: [pods[1]] } },
      { action: 'pods.deploy', subject: file, details: { pods } },
    ]);
    expect(entries).toHaveLength(3);
  } finally {
    await dispatcher.close();
  }
});

const python = await python3();
describe.skipIf(!python.available)('fine-tuning', () => {
  it('started, interrupted and finished; nothing where it is refused', async () => {
    const bench = await FinetuningBench.open();
    try {
      const dataset = await bench.upload();
      const slow = await bench.start('slow', dataset);
      expect((await bench.call('POST', 'finetune/', request('slow', dataset))).status).toBe(409);
      await bench.reaches(1);
      await bench.call('POST', 'finetune/interrupt/');
      await bench.ended(slow);
      expect((await bench.call('POST', 'finetune/interrupt/')).status).toBe(409);
      // A run of the same name would continue where the first one stopped, and could end before it is asked to.
      const another = await bench.start('slow-too', dataset);
      // 409 until its first step.
      const finish = async () => (await bench.call('POST', 'finetune/finish/')).status === 200;
      await until('the run to be finished early', finish);
      await bench.ended(another);
      const { entries } = await listAudit(bench, { limit: 100 });
      const runs = entries.filter(({ action }) => action.startsWith('finetune.')).reverse();
      const lines = runs.map((entry) => [entry.action, entry.details.job]);
      expect(lines).toEqual([
        ['finetune.start', slow.id],
        ['finetune.interrupt', slow.id],
        ['finetune.start', another.id],
        ['finetune.finish', another.id],
      ]);
    } finally {
      await bench.close();
    }
  });
});

const request = (name: string, dataset_id: string) => ({ name, model_id: 'tiny', dataset_id });
