import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeTinyModel } from '../../../../test/testkit/models/tiny-model.ts';
import { decode } from './native.ts';

const folder = mkdtempSync(join(tmpdir(), 'native-'));
let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, logLevel: LlamaLogLevel.disabled });
});
afterAll(async () => {
  await llama.dispose();
  rmSync(folder, { recursive: true });
});

it('a failure at the logits of one sequence does not affect the rest of its batch', async () => {
  const modelPath = join(folder, 'tiny.gguf');
  writeTinyModel(modelPath);
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 256, sequences: 2 });
  const [failing, other] = [context.getSequence(), context.getSequence()];
  const last = (index: number) => index === 2;
  const together = await Promise.allSettled([
    decode(failing, [40, 41, 42], last, () => Promise.reject(new Error('no token'))),
    decode(other, [50, 51, 52], last, async () => 'sampled'),
  ]);
  expect(together[0]).toMatchObject({ status: 'rejected', reason: { message: 'no token' } });
  expect(together[1]).toMatchObject({ status: 'fulfilled' });
  expect(
    await decode(
      other,
      [53],
      () => true,
      async () => 'again',
    ),
  ).toContain('again');
  await context.dispose();
  await model.dispose();
});
