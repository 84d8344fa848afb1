import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { buildTestApp } from '../../../test/testkit/app.ts';
import { cacheFolder } from '../../../test/testkit/machine/cache-folder.ts';
import { generated } from '../../../test/testkit/pods/generation.ts';
import { requirement } from '../../../test/testkit/requirement.ts';
import { until } from '../../../test/testkit/until.ts';
import { platformActor } from '../../contracts/actor.ts';
import { libraryModels } from '../../management/deployments/planning/library-models.ts';
import { Trainer } from '../../management/finetuning/trainer/trainer.ts';
import { managementService } from '../../management/management-service.ts';
import { createWorkRunner } from '../../platform/queue/running/work-runner.ts';
import { silentLogger } from '../../platform/telemetry/logger.ts';
import { startLlamaCpp } from '../../pod/engines/llamacpp/engine.ts';
import { readGguf } from '../facts/gguf.ts';
import { importModel } from '../library/import-model.ts';
import { type Models, openModels } from '../open-models.ts';

const folder = mkdtempSync(join(tmpdir(), 'converted-llama-'));
const root = join(import.meta.dirname, '../../..');
const trainer = new Trainer({
  folder: join(root, 'trainer'),
  environments: cacheFolder('python'),
  cache: cacheFolder('trainer'),
  nice: 0,
  environment: process.env,
});
/** Made the first time, which takes half a minute; then it is found. */
const packages = await requirement('trainer packages', async () => {
  const python = await trainer.prepare({ signal: AbortSignal.timeout(400_000) });
  const script = join(root, 'test/testkit/models/tiny-sentencepiece-llama.py');
  await promisify(execFile)(python, [script, folder], { timeout: 60_000 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!packages.available)("llama.cpp's own converter", () => {
  it('makes of safetensors what llama.cpp serves: chat template, answers, adapters', async () => {
    let models: Models | undefined;
    const test = await buildTestApp(async (deps) => {
      models = await openModels({
        ...deps,
        config: {
          data_dir: join(folder, 'data'),
          hub: { endpoint: 'http://127.0.0.1:9', home: join(folder, 'hf') },
          packages: {},
        },
        environment: process.env,
        engines: ['llamacpp'],
        isDeployed: () => false,
        deployedPaths: async () => [],
        converter: { tools: trainer },
      });
      return [managementService({ ...deps, models: models.changes })];
    });
    if (!models) throw new Error('the models were not opened');
    const kinds = models.work;
    const runner = createWorkRunner({ ...test.deps, logger: silentLogger(), kinds, pollEvery: 50 });
    runner.start();
    try {
      const ids = { 'ours/llama': 'model', 'ours/adapter': 'adapter' };
      for (const [model_id, from] of Object.entries(ids)) {
        const { id } = await importModel(models.changes, platformActor('test'), {
          model_id,
          folder: join(folder, from),
        });
        const status = () => test.app.inject(`/api/v1/jobs/${id}/status/`);
        await until('the import', async () => (await status()).json().status === 'FINISHED', 200_000);
      }
      const [model] = (await test.app.inject('/api/v1/models/')).json();
      expect(model.facts).toMatchObject({
        quantization: 'F32',
        engines: ['llamacpp'],
        reason: null,
        conversion: { file: 'model-F16.gguf', quantization: 'F16', error: null },
      });
      const deployable = libraryModels(models);
      const path = await deployable.pathFor('ours/llama', null);
      const { metadata } = await readGguf(path);
      expect(metadata.get('tokenizer.chat_template')).toContain("[{{ message['role'] }}]");
      const adapters = { ours: await deployable.pathFor('ours/adapter', 'ours/llama') };
      const engine = await startLlamaCpp({
        modelPath: path,
        threads: 1,
        parallel: 1,
        contextLength: 128,
        adapters,
      });
      try {
        const messages = [{ role: 'user' as const, content: 'the cat sat on' }];
        const ask = (adapter?: string) =>
          generated(engine, {
            prompt: { kind: 'chat', messages },
            sampling: { temperature: 0 },
            maxTokens: 4,
            logprobs: 5,
            ...(adapter === undefined ? {} : { adapter }),
          });
        const [base, adapted] = [await ask(), await ask('ours')];
        expect(base.logprobs).toHaveLength(4);
        expect(adapted.logprobs[0]).not.toEqual(base.logprobs[0]);
      } finally {
        await engine.close();
      }
    } finally {
      await runner.stop();
      await test.close();
    }
  }, 240_000);
});
