import { describe, expect, it } from 'vitest';
import { Dataset } from './datasets.ts';
import { DeployRequest, DeployStatus } from './deployments.ts';
import { FinetuneRequest, FinetuneStatus } from './finetuning.ts';
import { Job } from './jobs.ts';
import { AddModelQuery, ImportModelRequest, ModelEntry } from './models.ts';

const job = {
  id: '0b8f0d5e-93a1-4a53-9d6f-3b1f0f6f8a11',
  name: 'DEPLOY_org/base_adapters_a_b',
  status: 'CREATED',
  started_at: '2026-01-02T03:04:05.678Z',
  finished_at: null,
  progress: null,
  error: null,
};
const names = (count: number) => Array.from({ length: count }, (_, index) => `adapter-${index}`);

describe('DeployRequest', () => {
  it('needs only a model', () => {
    expect(DeployRequest.parse({ model_id: 'm' })).toEqual({ model_id: 'm', adapter_ids: [], replicas: 1 });
    expect(DeployRequest.safeParse({}).error?.issues.map((issue) => issue.path)).toEqual([['model_id']]);
  });

  it('takes 20 adapters and refuses 21', () => {
    expect(DeployRequest.safeParse({ model_id: 'm', adapter_ids: names(20) }).success).toBe(true);
    const { error } = DeployRequest.safeParse({ model_id: 'm', adapter_ids: names(21) });
    expect(error?.issues).toMatchObject([
      { path: ['adapter_ids'], message: 'must contain at most 20 adapters' },
    ]);
  });

  it.each([
    'auto',
    'float32',
    'float16',
    'bfloat16',
    'Q4_K_M',
    'q8_0',
    'IQ2_XXS',
    'Q4_1',
    'MXFP4',
    'fp8',
    'awq',
    'q4f16',
    null,
  ])('takes dtype %j', (dtype) => {
    expect(DeployRequest.safeParse({ model_id: 'm', dtype }).success).toBe(true);
  });

  it.each(['', 'float64', 'banana', 'Q', 'Q4_K_M; rm -rf', 16])('refuses dtype %j', (dtype) => {
    expect(DeployRequest.safeParse({ model_id: 'm', dtype }).error?.issues[0]?.path).toEqual(['dtype']);
  });

  it.each([
    [{ adapter_ids: ['a', 'a'] }, ['adapter_ids']],
    [{ adapter_ids: 'a' }, ['adapter_ids']],
    [{ replicas: 0 }, ['replicas']],
    [{ min_improvement: 2 }, ['min_improvement']],
    [{ adapters: [] }, []],
  ])('refuses %j', (changes, path) => {
    expect(DeployRequest.safeParse({ model_id: 'm', ...changes }).error?.issues[0]?.path).toEqual(path);
  });
});

describe('FinetuneRequest', () => {
  const request = { name: 'юрист-1', model_id: 'org/base', dataset_id: 'd' };

  it('takes a name in any script, and hyperparameters in part', () => {
    const full = { ...request, hyperparameters: { epochs: 0.5, seed: 0 } };
    expect(FinetuneRequest.parse(full)).toEqual(full);
  });

  it('names every required field that is missing', () => {
    expect(FinetuneRequest.safeParse({}).error?.issues.map((issue) => issue.path[0])).toEqual(
      Object.keys(request),
    );
  });

  it.each(['', '../up', 'a/b', 'a=b', ' a', '.hidden', 'x'.repeat(97)])('refuses the name %j', (name) => {
    expect(FinetuneRequest.safeParse({ ...request, name }).error?.issues[0]?.path).toEqual(['name']);
  });

  it.each([
    { epochs: 0 },
    { learning_rate: 0 },
    { learning_rate: 2 },
    { rank: 0 },
    { alpha: -1 },
    { max_seq_len: 1 },
    { batch_size: 0 },
    { seed: -1 },
  ])('refuses %j', (hyperparameters) => {
    const { error } = FinetuneRequest.safeParse({ ...request, hyperparameters });
    expect(error?.issues[0]?.path).toEqual(['hyperparameters', ...Object.keys(hyperparameters)]);
  });

  it('refuses a hyperparameter that it does not know', () => {
    const { error } = FinetuneRequest.safeParse({ ...request, hyperparameters: { lr: 1 } });
    expect(error?.issues[0]).toMatchObject({ keys: ['lr'] });
  });
});

describe('AddModelQuery', () => {
  it.each(['gpt2', 'org/name', 'org/name@main', 'org/name:Q4_K_M', 'org/name@v1.0:Q8_0'])(
    'takes %j',
    (model_id) => {
      expect(AddModelQuery.parse({ model_id })).toEqual({ model_id, allow_pickle: false });
    },
  );

  it.each(['', '/etc', '../x', 'org/..', 'org/name with space', 'a\\b', 'org//name'])(
    'refuses %j',
    (model_id) => {
      expect(AddModelQuery.safeParse({ model_id }).error?.issues[0]?.path).toEqual(['model_id']);
    },
  );
});

describe('ImportModelRequest', () => {
  it('takes names of any script, without characters that control a terminal', () => {
    const imported = (model_id: string) =>
      ImportModelRequest.safeParse({ model_id, folder: '/models/x' }).success;
    expect(['модель', 'constructor', 'a\u001b[31m', 'a\u009bb'].map(imported)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('records', () => {
  it.each(['CREATED', 'RUNNING', 'FINISHED', 'FAILED', 'KILLED'])('a job may be %s', (status) => {
    expect(Job.parse({ ...job, status }).status).toBe(status);
  });

  it('a job has a UUID, a status of the list and a time', () => {
    const { error } = Job.safeParse({ ...job, id: '7', status: 'DONE', started_at: 'yesterday' });
    expect(error?.issues.map((issue) => issue.path[0])).toEqual(['id', 'status', 'started_at']);
  });

  it('fields that no schema names are not shown', () => {
    expect(Job.parse({ ...job, token: 'secret' })).toEqual(job);
  });

  it('statuses carry their job', () => {
    const deploy = { model_id: 'm', adapter_ids: ['a'], job };
    expect(DeployStatus.parse(deploy)).toEqual(deploy);
    const finetune = { id: 'f', name: 'n', model_id: 'm', dataset_id: 'd', job };
    expect(FinetuneStatus.parse(finetune)).toEqual(finetune);
  });

  it('nullable fields are present, as null', () => {
    expect(ModelEntry.safeParse({ model_id: 'm', adapter: false }).success).toBe(false);
    expect(ModelEntry.safeParse({ model_id: 'm', adapter: false, base_model_id: null }).success).toBe(true);
    const dataset = {
      id: 'd',
      name: 'диалоги.jsonl',
      s3_path: 's3://b/datasets/d/диалоги.jsonl',
      description: null,
    };
    expect(Dataset.parse(dataset)).toEqual(dataset);
  });
});
