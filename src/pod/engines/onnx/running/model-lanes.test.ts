import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { miniLmFolder } from '../../../../../test/testkit/models/minilm.ts';
import { writeTinyEmbedder } from '../../../../../test/testkit/models/tiny-onnx.ts';
import { requirement } from '../../../../../test/testkit/requirement.ts';
import { scaleByRow } from '../scales/scale-by-row.ts';
import type { Sequence } from '../sequence.ts';
import { ModelLanes } from './model-lanes.ts';

const weights = await requirement('all-MiniLM-L6-v2', async () => (await miniLmFolder()) !== '');
const root = mkdtempSync(join(tmpdir(), 'model-lanes-'));
const wanted = { output: 'last_hidden_state', pooling: 'mean' } as const;
const sequences: Sequence[] = [
  [1, 4, 2],
  [1, 5, 5, 3, 6, 2],
  [1, 2],
].map((ids) => ({ ids: Int32Array.from(ids) }));
const open: ModelLanes[] = [];
afterEach(() => Promise.all(open.splice(0).map((lanes) => lanes.close())));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function start(file: string, threads = 1): Promise<ModelLanes> {
  const lanes = new ModelLanes({
    weights: file,
    weightBytes: readFileSync(file).length,
    threads,
    padding: 0,
  });
  open.push(lanes);
  await lanes.chooseMode(sequences, wanted);
  return lanes;
}

function tiny(name: string, options = {}): string {
  const table = [[9, -9], ...Array.from({ length: 9 }, (_, index) => [index / 7, -index / 3])];
  writeTinyEmbedder(join(root, name), table, {}, options);
  return join(root, name, 'model.onnx');
}

describe('a model', () => {
  test('runs batches if they do not change its results', async () => {
    const lanes = await start(tiny('plain'));
    expect(lanes).toMatchObject({ mode: 'batches', count: 1, batchTokens: undefined });
  });

  test('runs each sequence alone if its quantisation depends on the batch and can not be changed', async () => {
    const lanes = await start(tiny('quantised', { quantized: true }), 2);
    expect(lanes).toMatchObject({ mode: 'alone', count: 2 });
    const together = await lanes.run(0, sequences, wanted);
    const [alone] = await lanes.run(1, sequences.slice(0, 1), wanted);
    expect(together[0]).toEqual(alone);
  });

  test.skipIf(!weights.available)('runs batches with one scale per row if it can be changed to', async () => {
    const lanes = await start(join(await miniLmFolder(), 'onnx', 'model_quantized.onnx'), 2);
    expect(lanes).toMatchObject({ mode: 'scaled by row', count: 1, batchTokens: 512 });
    const together = await lanes.run(0, sequences, wanted);
    for (const [index, sequence] of sequences.entries())
      expect((await lanes.run(0, [sequence], wanted))[0]).toEqual(together[index]);
  });

  test.skipIf(!weights.available)('is left as it is if its file is damaged', async () => {
    const file = readFileSync(join(await miniLmFolder(), 'onnx', 'model_quantized.onnx'));
    expect(() => scaleByRow(file.subarray(0, 1_000_000))).toThrow('longer than its message');
    expect(() => scaleByRow(Buffer.from('not a model'))).toThrow();
  });
});
