import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { safetensorsOf, type TestTensor } from '../../../../test/testkit/models/safetensors.ts';
import { writeTinyModel } from '../../../../test/testkit/models/tiny-model.ts';
import { generated } from '../../../../test/testkit/pods/generation.ts';
import type { LanguageEngine } from '../../../pod/engine.ts';
import { startLlamaCpp } from '../../../pod/engines/llamacpp/engine.ts';
import { readGguf } from '../../facts/gguf.ts';
import { convertLora } from './convert-lora.ts';

const rank = 4;
const alpha = 8;
const heads = 2;
const names: Record<string, string> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};
const folder = mkdtempSync(join(tmpdir(), 'served-lora-'));
const base = join(folder, 'base.gguf');
const merged = join(folder, 'merged.gguf');
const adapter = join(folder, 'adapter');

const numbers = (count: number, seed: number) =>
  Float32Array.from(
    { length: count },
    (_, at) => ((((at + 1) * 7919 + seed * 104_729) % 2003) - 1001) / 8000,
  );

/** The row of the GGUF matrix where a row of the hub's matrix stands: within a head, halves become neighbours. */
function rowInGguf(row: number, rows: number, name: string): number {
  if (name !== 'attn_q' && name !== 'attn_k') return row;
  const size = rows / heads;
  const [head, within] = [Math.floor(row / size), row % size];
  return within < size / 2 ? head * size + within * 2 : head * size + (within - size / 2) * 2 + 1;
}

/** Adds alpha / rank · B · A to the weights themselves: what the adapter must come to. */
async function writeAdapterAndMerged(): Promise<void> {
  const file = readFileSync(base);
  const tensors: Record<string, TestTensor> = {};
  const { tensors: infos } = await readGguf(base);
  let seed = 0;
  for (const layer of [0, 1]) {
    for (const [module, name] of Object.entries(names)) {
      const info = infos.find((it) => it.name === `blk.${layer}.${name}.weight`);
      const [inputs = 0, outputs = 0] = info?.dimensions ?? [];
      const a = numbers(rank * inputs, ++seed);
      const b = numbers(outputs * rank, ++seed);
      const stem = `base_model.model.model.layers.${layer}.${module}`;
      tensors[`${stem}.lora_A.weight`] = { dtype: 'F32', shape: [rank, inputs], data: Buffer.from(a.buffer) };
      tensors[`${stem}.lora_B.weight`] = {
        dtype: 'F32',
        shape: [outputs, rank],
        data: Buffer.from(b.buffer),
      };
      for (let row = 0; row < outputs; row++) {
        for (let column = 0; column < inputs; column++) {
          let sum = 0;
          for (let at = 0; at < rank; at++) sum += (b[row * rank + at] ?? 0) * (a[at * inputs + column] ?? 0);
          const place = (info?.offset ?? 0) + (rowInGguf(row, outputs, name) * inputs + column) * 4;
          file.writeFloatLE(file.readFloatLE(place) + (alpha / rank) * sum, place);
        }
      }
    }
  }
  writeFileSync(merged, file);
  mkdirSync(adapter);
  writeFileSync(join(adapter, 'adapter_model.safetensors'), safetensorsOf(tensors));
  const config = { peft_type: 'LORA', r: rank, lora_alpha: alpha };
  writeFileSync(join(adapter, 'adapter_config.json'), JSON.stringify(config));
}

async function logprobs(engine: LanguageEngine, name?: string): Promise<number[]> {
  const prompt = { kind: 'text' as const, text: 'the cat and the hat sat on the other mat' };
  const answer = await generated(engine, {
    prompt,
    sampling: { temperature: 0 },
    maxTokens: 1,
    logprobs: 20,
    ...(name === undefined ? {} : { adapter: name }),
  });
  const top = answer.logprobs[0]?.top ?? [];
  return [...top].sort((one, other) => one.id - other.id).flatMap(({ id, logprob }) => [id, logprob ?? 0]);
}

describe('a converted adapter in llama.cpp', () => {
  const expected: number[] = [];
  beforeAll(async () => {
    writeTinyModel(base);
    await writeAdapterAndMerged();
    const engine = await startLlamaCpp({ modelPath: merged, threads: 1, parallel: 1, contextLength: 128 });
    expected.push(...(await logprobs(engine)));
    await engine.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['F32', 1e-3],
    ['F16', 2e-2],
  ] as const)('gives the probabilities of the merged weights (%s)', async (type, tolerance) => {
    const to = join(folder, `${type}.gguf`);
    await convertLora({ adapter, base, to, type });
    const engine = await startLlamaCpp({
      modelPath: base,
      threads: 1,
      parallel: 1,
      contextLength: 128,
      adapters: { ours: to },
    });
    const found = await logprobs(engine, 'ours');
    const without = await logprobs(engine);
    await engine.close();
    expect(found).toHaveLength(expected.length);
    for (const [at, value] of expected.entries())
      expect(Math.abs((found[at] ?? 0) - value)).toBeLessThan(tolerance);
    expect(without).not.toEqual(found);
  });
});
