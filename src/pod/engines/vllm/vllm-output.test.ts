import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogTail } from '../server/log-tail.ts';
import { readSamples } from '../server/prometheus.ts';
import type { ServerOptions } from '../server/server-kind.ts';
import { vllm } from './vllm.ts';

/** As vLLM 0.32 wrote them, without the frames of its tracebacks. */
const recorded = (name: string) =>
  readFileSync(new URL(`../../../../test/fixtures/vllm/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean);

describe('what vLLM writes', () => {
  test.each([
    ['dtype', 'unsupported', /^argument --dtype: invalid choice: 'float7'/],
    ['arch', 'unsupported', /model type `nosuch` but Transformers does not recognize this architecture/],
    ['long', 'unsupported', /max_model_len \(100000\) is greater than the derived max_model_len/],
    ['missing', 'missing-file', /^Repo id must be/],
    ['corrupt', 'corrupt-file', /^Error while deserializing header: invalid header length$/],
    ['noweights', 'missing-file', /^Cannot find any model weights/],
    ['oom', 'out-of-memory', /^Available memory on node 0 .* is less than requested memory for kv/],
  ])('a failure (%s) is explained by its root cause', (name, failure, message) => {
    const cause = vllm.explain(recorded(`${name}.log.txt`), { code: 1, signal: null });
    expect(cause.failure).toBe(failure);
    expect(cause.message).toMatch(message);
  });

  test.each<[string, Parameters<typeof vllm.explain>[1], string, RegExp]>([
    ['a kill', { code: null, signal: 'SIGKILL' }, 'out-of-memory', /system killed it/],
    ['silence', { code: 3, signal: null }, 'failed', /exited with code 3; its last output: half a line/],
  ])('%s is explained too', (_, end, failure, message) => {
    const cause = vllm.explain(['half a line'], end);
    expect(cause.failure).toBe(failure);
    expect(cause.message).toMatch(message);
  });

  test('a start advances through its phases', () => {
    const tail = new LogTail(vllm.phases);
    const seen = recorded('start.log.txt').flatMap((line) => (tail.add(line) ? [tail.progress] : []));
    expect(seen.map(({ text }) => text)).toEqual([
      'vLLM is starting',
      'model recognised',
      'initialising the engine',
      'loading the weights',
      'loading the weights',
      'weights loaded',
      'KV cache allocated',
      'engine warmed up',
      'the server is listening',
    ]);
    expect(seen[4]?.share).toBeCloseTo(0.75, 5);
  });

  test('metrics become the status', () => {
    const status = vllm.status(readSamples(recorded('metrics.txt').join('\n')));
    expect(status).toMatchObject({ running: 0, waiting: 0, kvCacheUsage: 0 });
    expect(status.counted).toMatchObject({ requests: 2, promptTokens: 22, completionTokens: 16 });
    expect(status.counted?.timeToFirstToken).toBeCloseTo(39.43, 1);
    expect(status.counted?.timePerOutputToken).toBeCloseTo(7.15, 1);
    expect(status.counted?.latency).toBeCloseTo(87.86, 1);
  });
});

describe("vLLM's command line", () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-vllm-'));
  const options = (more: Partial<ServerOptions> = {}): ServerOptions => ({
    task: 'llm',
    model: '/models/llama',
    servedModelName: 'llama',
    environment: {},
    log: () => {},
    ...more,
  });
  const line = (more: Partial<ServerOptions>, ranks: number[] = []) => {
    const adapters = ranks.map((rank) => ({ name: `r${rank}`, path: join(folder, String(rank)) }));
    return vllm.args(options(more), adapters, 4711).join(' ');
  };

  beforeAll(() => {
    for (const rank of [4, 33]) {
      mkdirSync(join(folder, String(rank)));
      writeFileSync(join(folder, String(rank), 'adapter_config.json'), JSON.stringify({ r: rank }));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has a flag for each option', () => {
    expect(line({})).toBe(
      'serve /models/llama --host 127.0.0.1 --port 4711 --middleware roundhouse_key.RequireKey --served-model-name llama',
    );
    const more = {
      dtype: 'bfloat16',
      quantization: 'awq',
      maxModelLen: 2048,
      gpuMemoryUtilization: 0.8,
      parallel: 16,
    };
    expect(line(more)).toContain(
      '--dtype bfloat16 --quantization awq --max-model-len 2048 --gpu-memory-utilization 0.8 --max-num-seqs 16',
    );
    expect(line({ task: 'embeddings' })).toContain('--runner pooling');
    expect(line({ dtype: 'fp8' })).toMatch(/--quantization fp8(?!.*--dtype)/);
    expect(() => line({ dtype: 'Q4_K_M' })).toThrow('vLLM does not support the dtype Q4_K_M');
  });

  test('makes room for the highest rank among the adapters', () => {
    expect(line({}, [4])).toContain('--enable-lora --max-lora-rank 16');
    expect(line({}, [4, 33])).toContain('--max-lora-rank 64');
    expect(line({}, [4])).toContain(`--lora-modules {"name":"r4","path":"${join(folder, '4')}"}`);
  });

  test('keeps the key out of the arguments, and the hub out of a local start', () => {
    expect(vllm.environment(options({ threads: 2 }), 'sesame')).toMatchObject({
      VLLM_API_KEY: 'sesame',
      VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
      HF_HUB_OFFLINE: '1',
      OMP_NUM_THREADS: '2',
    });
    expect(vllm.environment(options({ model: 'org/name' }), 'sesame')).not.toHaveProperty('HF_HUB_OFFLINE');
  });
});
