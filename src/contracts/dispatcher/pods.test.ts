import { describe, expect, it } from 'vitest';
import { DeployPodsQuery, PodsFile } from './pod-plan.ts';
import { PodInfo, PodInfoOrNull } from './pods.ts';

describe('PodInfo', () => {
  it('is whole when empty: counters at 0, flags false, no time to first token', () => {
    expect(PodInfo.parse({})).toEqual({
      requests_success_total: 0,
      requests_num_running: 0,
      requests_total_tokens: 0,
      requests_prompt_tokens: 0,
      requests_completion_tokens: 0,
      requests_latency_ms: 0,
      requests_payload_size: 0,
      time_per_output_token: 0,
      restarted: false,
      dead: false,
    });
  });

  it('takes null in every field', () => {
    const nulls = Object.fromEntries(Object.keys(PodInfo.shape).map((field) => [field, null]));
    expect(PodInfo.parse(nulls)).toEqual(nulls);
  });

  it('keeps fields it does not know', () => {
    expect(PodInfo.parse({ pod_id: 'p', adapters: ['a'], rack: { row: 'Б' } })).toMatchObject({
      adapters: ['a'],
      rack: { row: 'Б' },
    });
  });

  it.each([
    ['connections', '3'],
    ['requests_success_total', 1.5],
    ['dead', 'yes'],
    ['pod_id', 7],
    ['adapters', 'a'],
  ])('refuses a bad %s', (field, value) => {
    expect(PodInfo.safeParse({ [field]: value }).error?.issues[0]?.path).toEqual([field]);
  });

  it('may be null as a whole', () => {
    expect(PodInfoOrNull.parse(null)).toBeNull();
  });
});

describe('pods.yaml', () => {
  const pod = { engine: 'llamacpp', task: 'llm', model_name: 'org/model' };

  it.each([[{ pods: [pod] }], [[pod]]])('is read as %j', (file) => {
    expect(PodsFile.parse(file)).toEqual({ pods: [{ ...pod, adapter_ids: [], replicas: 1 }] });
  });

  it('may be empty', () => {
    expect(PodsFile.parse(null)).toEqual({ pods: [] });
  });

  it.each([
    [{ engine: 'steam' }, 'engine'],
    [{ task: 'cook' }, 'task'],
    [{ gpu_memory_utilization: 1.5 }, 'gpu_memory_utilization'],
    [{ replicas: 0 }, 'replicas'],
    [{ dtype: 'decimal' }, 'dtype'],
    [{ gpu_id: 'first' }, 'gpu_id'],
    [{ adapter_ids: Array.from({ length: 21 }, (_, index) => `a${index}`) }, 'adapter_ids'],
  ])('refuses %j', (bad, field) => {
    const issue = PodsFile.safeParse({ pods: [{ ...pod, ...bad }] }).error?.issues[0];
    expect(issue?.path).toEqual(['pods', 0, field]);
  });

  it('refuses a field that it does not know, by name', () => {
    const issue = PodsFile.safeParse([{ ...pod, modelname: 'typo' }]).error?.issues[0];
    expect(issue).toMatchObject({ path: ['pods', 0], keys: ['modelname'] });
  });
});

describe('POST /deploy-pods/ query', () => {
  it.each([
    [{}, undefined],
    [{ id: '3' }, 3],
  ])('reads %j', (query, id) => {
    expect(DeployPodsQuery.parse(query).id).toBe(id);
  });

  it.each(['', 'one', '1.5', '1e3', ' 1'])('refuses %j', (id) => {
    expect(DeployPodsQuery.safeParse({ id }).error?.issues[0]?.path).toEqual(['id']);
  });
});
