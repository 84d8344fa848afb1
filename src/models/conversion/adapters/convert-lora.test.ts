import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeGguf } from '../../../../test/testkit/models/gguf-writer.ts';
import { safetensorsOf, type TestTensor } from '../../../../test/testkit/models/safetensors.ts';
import { readGguf } from '../../facts/gguf.ts';
import { adapterFile, dropConversions } from './adapter-file.ts';
import { convertLora } from './convert-lora.ts';
import { toFloats } from './float-bytes.ts';
import { interleaveHalves } from './lora-names.ts';

const width = 32;
const rank = 4;
const heads = 4;
const keyHeads = 2;
const headSize = width / heads;
const inner = 48;
const modules: Record<string, [gguf: string, inputs: number, outputs: number]> = {
  'self_attn.q_proj': ['attn_q', width, width],
  'self_attn.k_proj': ['attn_k', width, keyHeads * headSize],
  'self_attn.v_proj': ['attn_v', width, keyHeads * headSize],
  'self_attn.o_proj': ['attn_output', width, width],
  'mlp.gate_proj': ['ffn_gate', width, inner],
  'mlp.up_proj': ['ffn_up', width, inner],
  'mlp.down_proj': ['ffn_down', inner, width],
};

/** Numbers that a half holds exactly, each another one. */
const numbers = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, at) => (((at * 37 + seed * 101) % 1999) - 999) / 1024);
const tensor = (values: Float32Array, shape: number[]): TestTensor => ({
  dtype: 'F32',
  shape,
  data: Buffer.from(values.buffer),
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lora-'));
  mkdirSync(join(folder, 'adapter'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeBase(architecture = 'llama', outputs = width): string {
  const path = join(folder, 'base.gguf');
  const matrices = Object.values(modules).map(([name, inputs, count]) => ({
    name: `blk.0.${name}.weight`,
    dimensions: [inputs, name === 'attn_output' ? outputs : count],
    values: new Float32Array(inputs * (name === 'attn_output' ? outputs : count)),
  }));
  const metadata = {
    'general.architecture': architecture,
    [`${architecture}.attention.head_count`]: heads,
    [`${architecture}.attention.head_count_kv`]: keyHeads,
  };
  writeGguf(path, metadata, matrices);
  return path;
}

function writeAdapter(
  config: object = {},
  extra: Record<string, TestTensor> = {},
): Map<string, Float32Array> {
  const source = new Map<string, Float32Array>();
  const tensors: Record<string, TestTensor> = {};
  Object.entries(modules).forEach(([module, [, inputs, outputs]], at) => {
    const stem = `base_model.model.model.layers.0.${module}`;
    const a = numbers(rank * inputs, at);
    const b = numbers(outputs * rank, at + 50);
    source.set(`${module}.a`, a).set(`${module}.b`, b);
    tensors[`${stem}.lora_A.weight`] = tensor(a, [rank, inputs]);
    tensors[`${stem}.lora_B.weight`] = tensor(b, [outputs, rank]);
  });
  const settings = {
    peft_type: 'LORA',
    r: rank,
    lora_alpha: 8,
    base_model_name_or_path: 'org/base',
    ...config,
  };
  writeFileSync(join(folder, 'adapter', 'adapter_config.json'), JSON.stringify(settings));
  writeFileSync(
    join(folder, 'adapter', 'adapter_model.safetensors'),
    safetensorsOf({ ...tensors, ...extra }),
  );
  return source;
}

async function convert(type: 'F32' | 'F16' = 'F32', architecture?: string) {
  const to = join(folder, 'adapter.gguf');
  await convertLora({ adapter: join(folder, 'adapter'), base: writeBase(architecture), to, type });
  const header = await readGguf(to);
  const bytes = readFileSync(to);
  const values = (name: string) => {
    const info = header.tensors.find((it) => it.name === name);
    if (!info) throw new Error(`no ${name}`);
    const count = info.dimensions.reduce((one, other) => one * other, 1);
    const raw = bytes.buffer.slice(
      bytes.byteOffset + info.offset,
      bytes.byteOffset + info.offset + count * (type === 'F32' ? 4 : 2),
    );
    return {
      dimensions: info.dimensions,
      type: info.type,
      values: [...(type === 'F32' ? new Float32Array(raw) : new Float16Array(raw))],
    };
  };
  return { header, values };
}

/** `rows.reshape(heads, 2, dim / 2, rank).swapaxes(1, 2)`, written as numpy would carry it out. */
function reshapedAndSwapped(rows: Float32Array, count: number): number[] {
  const out: number[] = [];
  const half = rows.length / rank / count / 2;
  for (let head = 0; head < count; head++)
    for (let place = 0; place < half; place++)
      for (let part = 0; part < 2; part++)
        for (let column = 0; column < rank; column++)
          out.push(rows[((head * 2 + part) * half + place) * rank + column] ?? Number.NaN);
  return out;
}

describe('convertLora', () => {
  test('a pattern that would take for ever is refused', async () => {
    writeAdapter({ alpha_pattern: { '(((\\w|\\.)+)+)+!': 16 } });
    await expect(convert()).rejects.toThrow(
      "it can't be served by llama.cpp: its patterns (alpha_pattern) take too long to match",
    );
  });

  test.each(['constructor', '__proto__', 'toString'])('a layer named %s is refused', async (name) => {
    const stem = `base_model.model.model.layers.0.${name}`;
    writeAdapter({}, { [`${stem}.lora_A.weight`]: tensor(numbers(rank * width, 1), [rank, width]) });
    await expect(convert()).rejects.toThrow(`it changes '${stem}.lora_A.weight'`);
  });

  test.each(['F32', 'F16'] as const)('every tensor, number by number (%s)', async (type) => {
    const source = writeAdapter();
    const { header, values } = await convert(type);
    expect(Object.fromEntries(header.metadata)).toEqual({
      'general.architecture': 'llama',
      'general.type': 'adapter',
      'adapter.type': 'lora',
      'adapter.lora.alpha': 8,
    });
    expect(header.tensors).toHaveLength(14);
    for (const [module, [name, inputs, outputs]] of Object.entries(modules)) {
      const a = source.get(`${module}.a`) ?? new Float32Array();
      const b = source.get(`${module}.b`) ?? new Float32Array();
      const turned =
        name === 'attn_q'
          ? reshapedAndSwapped(b, heads)
          : name === 'attn_k'
            ? reshapedAndSwapped(b, keyHeads)
            : [...b];
      const number = type === 'F32' ? 0 : 1;
      expect(values(`blk.0.${name}.weight.lora_a`)).toEqual({
        dimensions: [inputs, rank],
        type: number,
        values: [...a],
      });
      expect(values(`blk.0.${name}.weight.lora_b`)).toEqual({
        dimensions: [rank, outputs],
        type: number,
        values: turned,
      });
    }
  });

  test('rows stay where they are for an architecture that turns halves itself', async () => {
    const source = writeAdapter();
    const { values } = await convert('F32', 'qwen2');
    expect(values('blk.0.attn_q.weight.lora_b').values).toEqual([
      ...(source.get('self_attn.q_proj.b') ?? []),
    ]);
  });

  test('turning halves and then changing places is changing places and then turning neighbours', () => {
    const size = 8;
    const vector = numbers(size, 3);
    const angle = (pair: number) => 5 / 10_000 ** (pair / (size / 2));
    const turn = (values: Float32Array, first: number, second: number, by: number) => {
      const [x, y] = [values[first] ?? 0, values[second] ?? 0];
      values[first] = x * Math.cos(by) - y * Math.sin(by);
      values[second] = x * Math.sin(by) + y * Math.cos(by);
    };
    const halves = Float32Array.from(vector);
    for (let pair = 0; pair < size / 2; pair++) turn(halves, pair, pair + size / 2, angle(pair));
    const neighbours = interleaveHalves(vector, 1, 1);
    for (let pair = 0; pair < size / 2; pair++) turn(neighbours, 2 * pair, 2 * pair + 1, angle(pair));
    expect(interleaveHalves(halves, 1, 1)).toEqual(neighbours);
    expect([...interleaveHalves(Float32Array.from([0, 1, 2, 3]), 1, 1)]).toEqual([0, 2, 1, 3]);
  });

  test('another scale than alpha / rank is folded into B', async () => {
    const source = writeAdapter({ use_rslora: true, alpha_pattern: { v_proj: 16 } });
    const { values } = await convert();
    const b = (module: string) => [...(source.get(`${module}.b`) ?? [])];
    // alpha / sqrt(4) is twice alpha / 4; the pattern doubles it again.
    expect(values('blk.0.attn_output.weight.lora_b').values).toEqual(
      b('self_attn.o_proj').map((value) => value * 2),
    );
    expect(values('blk.0.attn_v.weight.lora_b').values).toEqual(
      b('self_attn.v_proj').map((value) => value * 4),
    );
  });

  test('bfloat16 weights', async () => {
    writeAdapter();
    const words = Buffer.alloc(rank * 2 * 2);
    for (let at = 0; at < rank * 2; at++) words.writeUInt16LE(0x3f80 + at, at * 2);
    expect([...toFloats(words, 'BF16')].slice(0, 2)).toEqual([1, 1.0078125]);
  });

  test.each([
    [{ peft_type: 'IA3' }, /only LORA/],
    [{ use_dora: true }, /DoRA/],
    [{ modules_to_save: ['lm_head'] }, /replaces whole modules \(lm_head\)/],
    [{ bias: 'all' }, /biases/],
  ])('refused in words: %o', async (config, reason) => {
    writeAdapter(config);
    await expect(convert()).rejects.toThrow(reason);
  });

  test('is converted once for each base, and again when the adapter has changed', async () => {
    writeAdapter();
    const adapter = {
      id: 'ours',
      format: 'peft' as const,
      entry: join(folder, 'adapter'),
      folder: join(folder, 'adapter'),
    };
    const base = { format: 'gguf' as const, entry: writeBase() };
    const first = await adapterFile(join(folder, 'converted'), adapter, base);
    const { mtimeMs } = statSync(first);
    expect(await adapterFile(join(folder, 'converted'), adapter, base)).toBe(first);
    expect(statSync(first).mtimeMs).toBe(mtimeMs);
    utimesSync(join(folder, 'adapter', 'adapter_model.safetensors'), 1, 1);
    expect(await adapterFile(join(folder, 'converted'), adapter, base)).not.toBe(first);
    expect(await adapterFile(join(folder, 'converted'), adapter, { ...base, format: 'safetensors' })).toBe(
      adapter.entry,
    );
  });

  test('what was converted goes with the adapter or the base, unless pods are started with it', async () => {
    writeAdapter();
    const converted = join(folder, 'converted');
    const place = join(folder, 'adapter');
    const adapter = { id: 'ours', format: 'peft' as const, entry: place, folder: place };
    const base = { format: 'gguf' as const, entry: writeBase() };
    const other = { folder: join(folder, 'other'), entry: join(folder, 'other', 'model.gguf') };
    for (const gone of [
      { folder: place, entry: place },
      { folder, entry: base.entry },
    ]) {
      const file = await adapterFile(converted, adapter, base);
      await dropConversions(converted, other, []);
      await dropConversions(converted, gone, [file]);
      expect(readdirSync(converted)).toEqual([basename(file)]);
      await dropConversions(converted, gone, []);
      expect(readdirSync(converted)).toEqual([]);
    }
  });

  test('an adapter of another base, or of a layer without a place, is refused', async () => {
    writeAdapter();
    const to = join(folder, 'no.gguf');
    const adapter = join(folder, 'adapter');
    await expect(convertLora({ adapter, base: writeBase('llama', 40), to })).rejects.toThrow(
      "'blk.0.attn_output.weight' has 40 outputs here and 32 in the adapter",
    );
    await expect(convertLora({ adapter, base: writeBase('mamba'), to })).rejects.toThrow(
      /architecture 'mamba'/,
    );
    writeAdapter(
      {},
      { 'base_model.model.model.embed_tokens.lora_embedding_A': tensor(numbers(8, 1), [2, 4]) },
    );
    await expect(convert()).rejects.toThrow(/does not support/);
    expect(() => readFileSync(to)).toThrow();
  });
});
