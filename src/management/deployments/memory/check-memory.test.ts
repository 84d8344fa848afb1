import { describe, expect, test } from 'vitest';
import { type FreeMemory, shortageOf } from './check-memory.ts';
import { memoryWithout } from './memory-without.ts';
import { placementProblem, placePods } from './place-pods.ts';

describe('memory', () => {
  const base = { model_id: 'base:Q8_0', memory_bytes: 2e9 as number | null };
  const gpu = (index: number, free: number, total = 80e9) => ({ index, free, total });
  const free = { ram: 5e9, gpus: [gpu(0, 80e9), gpu(1, 10e9), gpu(2, 80e9)] };
  const short = (more: Partial<Parameters<typeof placePods>[0]>, model = base, memory: FreeMemory = free) => {
    const plan = { engine: 'llamacpp', replicas: 1, options: {}, ...more };
    return shortageOf({ ...plan, model, placement: placePods(plan, memory) }, memory);
  };
  const large = { ...base, memory_bytes: 100e9 };

  test('enough, or unknown', () => {
    expect(short({ replicas: 2 })).toBeUndefined();
    expect(short({ replicas: 64 }, { ...base, memory_bytes: null })).toBeUndefined();
    expect(short({ engine: 'vllm' })).toBeUndefined();
    expect(short({ engine: 'vllm' }, base, { ram: 5e9, gpus: [] })).toBeUndefined();
  });
  test('too little of the memory that the engine uses, with figures', () => {
    expect(short({ replicas: 3 })).toBe(
      "3 pods of 'base:Q8_0' need about 6.0 GB of memory, but only 5.0 GB is free",
    );
    expect(short({ engine: 'vllm', options: { gpus: [1] } })).toBe(
      'vllm reserves 90 % of the memory of GPU 1 (72.0 GB), but only 10.0 GB of 80.0 GB is free; ' +
        'a lower gpu_memory_utilization takes less',
    );
    expect(short({ engine: 'vllm', options: { gpus: [1], gpu_memory_utilization: 0.1 } })).toBeUndefined();
  });
  test('adds up the GPUs of a pod, and the pods of a GPU', () => {
    expect(short({ engine: 'vllm' }, large)).toContain(
      'needs about 100.0 GB of GPU memory, but only 72.0 GB is free on GPU 0 at a gpu_memory_utilization of 0.9',
    );
    expect(short({ engine: 'vllm', options: { tensor_parallel: 2 } }, large)).toBeUndefined();
    expect(short({ engine: 'vllm', options: { gpus: [0, 2] } }, large)).toBeUndefined();
    expect(short({ engine: 'vllm', replicas: 2, options: { gpus: [0] } })).toContain(
      '2 pods with vllm reserve 90 % each of the memory of GPU 0 (144.0 GB)',
    );
    const half = { gpus: [0], gpu_memory_utilization: 0.5 };
    expect(short({ engine: 'vllm', replicas: 2, options: half })).toBeUndefined();
    expect(short({ engine: 'llama-server', options: { gpus: [1] } }, large)).toContain('on GPU 1');
    // llama.cpp keeps in memory what does not fit.
    expect(short({ options: { gpus: [1] } }, { ...base, memory_bytes: 14e9 })).toBeUndefined();
  });
  test('the freest GPUs are chosen for vLLM, the given ones divided among the pods', () => {
    expect(placePods({ engine: 'vllm', replicas: 2, options: {} }, free)).toEqual([[0], [2]]);
    const four = { engine: 'llama-server', replicas: 2, options: { gpus: [3, 2, 1, 0] } };
    expect(placePods(four, free)).toEqual([
      [3, 2],
      [1, 0],
    ]);
    expect(placePods({ engine: 'llamacpp', replicas: 1, options: {} }, free)).toBeUndefined();
  });
  test('that is free once a deployment has stopped', () => {
    const vllm = { engine: 'vllm', options: {}, memory_bytes: 2e9, gpuIds: ['1'] };
    expect(memoryWithout(free, vllm).gpus[1]?.free).toBe(80e9);
    const llama = { engine: 'llamacpp', options: {}, memory_bytes: 2e9, gpuIds: [undefined, '0,1'] };
    expect(memoryWithout(free, llama)).toMatchObject({ ram: 7e9, gpus: [{}, { free: 11e9 }, {}] });
  });
  test('GPUs that are not there', () => {
    expect(placementProblem({ engine: 'vllm', options: { gpus: [0, 7] } }, free)).toEqual({
      field: 'gpus',
      msg: 'there is no GPU 7: this machine has GPU 0, 1, 2',
    });
    const none = { gpus: [] };
    expect(placementProblem({ engine: 'vllm', options: { tensor_parallel: 2 } }, none)?.msg).toContain(
      'no GPU',
    );
    const share = { gpu_memory_utilization: 0.5 };
    expect(placementProblem({ engine: 'llamacpp', options: share }, none)?.field).toBe(
      'gpu_memory_utilization',
    );
    expect(placementProblem({ engine: 'vllm', options: { tensor_parallel: 2 } }, free)).toBeUndefined();
  });
});
