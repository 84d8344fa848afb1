import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FinetuningBench, python3 } from '../../../test/testkit/training/finetuning.ts';

const { available } = await python3();
let bench: FinetuningBench;
beforeEach(async () => {
  bench = await FinetuningBench.open();
});
afterEach(() => bench.close());

const steps = (points: { step: number }[] | undefined) => points?.map(({ step }) => step);

describe.skipIf(!available)('POST /api/v1/finetune/', () => {
  it('200 a job; then an adapter with its comparison, and no leftover work folder', async () => {
    const dataset = await bench.upload();
    const job = await bench.start('юрист', dataset, { hyperparameters: { epochs: 3 } });
    expect(job).toMatchObject({ name: `FT_tiny_${dataset}`, status: 'CREATED' });
    expect(await bench.ended(job)).toMatchObject({
      status: 'FINISHED',
      progress: { done: 6, total: 6, unit: 'steps' },
    });

    const { body: models } = await bench.call('GET', 'models/');
    expect(models).toContainEqual(
      expect.objectContaining({ model_id: 'юрист', adapter: true, base_model_id: 'tiny' }),
    );
    const status = await bench.status();
    expect(status).toMatchObject({
      name: 'юрист',
      model_id: 'tiny',
      dataset_id: dataset,
      job: { id: job.id, status: 'FINISHED' },
      hyperparameters: { epochs: 3, rank: 16 },
      progress: { step: 6, total: 6, eval_loss: 5 / 6, tokens_per_second: 200, remaining_seconds: 0 },
      comparison: {
        base_loss: 4,
        adapter_loss: 1,
        improvement: 0.75,
        base_general_loss: 2,
        adapter_general_loss: 2.1,
        adapter_answers: { exact_match: 1, token_f1: 1 },
        examples: [{ prompt: 'q', expected: 'a', base: 'b', adapter: 'a' }],
      },
    });
    expect(steps(status.loss_curve)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await bench.finetuning.comparisonOf('юрист')).toMatchObject({ improvement: 0.75 });
    expect(await bench.finetuning.comparisonOf('tiny')).toBeNull();
    const log = readFileSync(join(bench.folder, 'data/finetuning/logs', `${status.id}.log`), 'utf8');
    expect(log).toContain('a warning of step 6');
    expect(log).toContain('a library says something');
    expect(existsSync(join(bench.folder, 'data/finetuning/runs'))).toBe(true);
    expect(existsSync(join(bench.folder, 'data/finetuning/runs/юрист'))).toBe(false);
  });

  it('409 if a model, an adapter, a run or the catalog has the name', async () => {
    const dataset = await bench.upload();
    const ask = (name: string) =>
      bench.call('POST', 'finetune/', { name, model_id: 'tiny', dataset_id: dataset });
    const slow = await bench.start('slow', dataset);
    expect(await ask('slow')).toMatchObject({ status: 409, body: { detail: "the name 'slow' is taken" } });
    expect((await ask('tiny')).status).toBe(409);
    expect((await ask('smollm2-135m-instruct')).status).toBe(409);
    await bench.reaches(3);
    await bench.call('POST', 'finetune/interrupt/');
    await bench.ended(slow);
    await bench.ended(await bench.start('made', dataset));
    expect((await ask('made')).status).toBe(409);
  });

  it('404 unknown model or data set, 422 an adapter, too little data or a bad field', async () => {
    const dataset = await bench.upload();
    const ask = (change: object) =>
      bench.call('POST', 'finetune/', { name: 'a', model_id: 'tiny', dataset_id: dataset, ...change });
    expect(await ask({ model_id: 'none' })).toMatchObject({ status: 404, body: { detail: /none/ } });
    expect(await ask({ dataset_id: 'none' })).toMatchObject({ status: 404 });
    expect(await ask({ hyperparameters: { rank: 0 } })).toMatchObject({ status: 422 });
    const few = await ask({ dataset_id: await bench.upload(3) });
    expect(few).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'dataset_id'], msg: expect.stringContaining('at least 4') }] },
    });
    await bench.ended(await bench.start('made', dataset));
    expect(await ask({ model_id: 'made' })).toMatchObject({
      status: 422,
      body: { detail: [{ msg: expect.stringContaining("train its base 'tiny' instead") }] },
    });
  });

  it.each([
    ['refused', 'The training needs about 90.0 GB of memory, but only 8.0 GB is free.'],
    ['broken', /^The trainer failed: ValueError: gave way; see its log: .+\.log$/],
    ['silent', /^the trainer exited without a result \(exit code 0\)/],
  ])('a run that is %s fails with the reason, and its name can be used again', async (name, error) => {
    const dataset = await bench.upload();
    const job = await bench.ended(await bench.start(name, dataset));
    expect(job.status).toBe('FAILED');
    expect(job.error).toMatch(error);
    expect((await bench.start(name, dataset)).status).toBe('CREATED');
    expect((await bench.call('GET', 'models/')).body).toHaveLength(1);
  });

  it('a killed trainer resumes from its checkpoint', async () => {
    const job = await bench.ended(await bench.start('dies', await bench.upload()));
    expect(job).toMatchObject({ status: 'FINISHED', error: null });
    expect(steps((await bench.status()).loss_curve)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('does not train again if killed after the adapter was written', async () => {
    const job = await bench.ended(await bench.start('late', await bench.upload()));
    expect(job).toMatchObject({ status: 'FINISHED', error: null });
    expect(await bench.status()).toMatchObject({ progress: { step: 6 }, comparison: { improvement: 0.75 } });
    expect((await bench.call('GET', 'models/')).body).toHaveLength(2);
  });

  it('stops when the platform restarts, and resumes from its checkpoint', async () => {
    const job = await bench.start('slow', await bench.upload());
    await bench.reaches(3);
    await bench.restart();
    expect(await bench.ended(job)).toMatchObject({ status: 'FINISHED' });
    expect(steps((await bench.status()).loss_curve)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('the job fails with the reason if the packages are unavailable', async () => {
    mkdirSync(join(bench.folder, 'home/python'), { recursive: true });
    writeFileSync(
      join(bench.folder, 'home/python/broken'),
      'torch could not be downloaded: no route to host',
    );
    const job = await bench.ended(await bench.start('a', await bench.upload()));
    expect(job).toMatchObject({
      status: 'FAILED',
      error: 'torch could not be downloaded: no route to host',
    });
  });
});

describe.skipIf(!available)('POST /api/v1/finetune/interrupt/', () => {
  it('200 the job as RUNNING; the next run resumes from its checkpoint', async () => {
    expect((await bench.call('POST', 'finetune/interrupt/')).status).toBe(404);
    const dataset = await bench.upload();
    const job = await bench.start('slow', dataset);
    await bench.reaches(3);
    expect(await bench.call('POST', 'finetune/interrupt/')).toMatchObject({
      status: 200,
      body: { id: job.id, status: 'RUNNING', finished_at: null },
    });
    expect(await bench.ended(job)).toMatchObject({ status: 'KILLED' });
    expect((await bench.call('POST', 'finetune/interrupt/')).status).toBe(409);
    expect(await bench.ended(await bench.start('slow', dataset))).toMatchObject({ status: 'FINISHED' });
    expect(steps((await bench.status()).loss_curve)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe.skipIf(!available)('POST /api/v1/finetune/finish/', () => {
  it('200 the job, which finishes with the current adapter; 404 and 409 if nothing runs', async () => {
    expect((await bench.call('POST', 'finetune/finish/')).status).toBe(404);
    const job = await bench.start('slow', await bench.upload());
    await bench.reaches(3);
    expect(await bench.call('POST', 'finetune/finish/')).toMatchObject({ status: 200, body: { id: job.id } });
    expect(await bench.ended(job)).toMatchObject({ status: 'FINISHED' });
    expect(await bench.status()).toMatchObject({ progress: { step: 3 }, comparison: { improvement: 0.75 } });
    expect((await bench.call('POST', 'finetune/finish/')).status).toBe(409);
  });
});

describe.skipIf(!available)('GET /api/v1/finetune/status', () => {
  it('404 before any training, and for another job', async () => {
    expect((await bench.call('GET', 'finetune/status')).status).toBe(404);
    expect((await bench.call('GET', 'finetune/status?job_id=none')).status).toBe(404);
  });

  it('200 the running job, not a waiting one; an earlier one by its job id', async () => {
    const dataset = await bench.upload();
    const first = await bench.ended(await bench.start('first', dataset));
    await bench.start('slow', dataset);
    await bench.reaches(3);
    await bench.start('waits', dataset);
    expect(await bench.status()).toMatchObject({ name: 'slow', job: { status: 'RUNNING' } });
    const { body } = await bench.call('GET', `finetune/status?job_id=${first.id}`);
    expect(body).toMatchObject({ name: 'first', comparison: { improvement: 0.75 } });
  });
});

describe.skipIf(!available)('while a run uses them', () => {
  it('409 deleting its data set or its base', async () => {
    const dataset = await bench.upload();
    await bench.start('slow', dataset);
    await bench.reaches(1);
    expect((await bench.call('DELETE', `datasets/${dataset}/`)).status).toBe(409);
    expect(await bench.call('DELETE', 'models/tiny')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('is being trained on') },
    });
  });
});

describe('GET /api/v1/finetune/models/', () => {
  it('lists what can be trained here; with ?all=true also the rest, with the reason', async () => {
    const trainable = { model_id: 'tiny', adapter: false, trainable: true, reason: null };
    expect((await bench.call('GET', 'finetune/models/')).body).toMatchObject(available ? [trainable] : []);
    expect((await bench.call('GET', 'finetune/models/?all=true')).body).toMatchObject([
      { model_id: 'tiny', trainable: available, reason: available ? null : /Python/ },
    ]);
    expect((await bench.call('GET', 'finetune/models/?all=perhaps')).status).toBe(422);
  });

  it.each(['constructor', '__proto__', 'toString'])('404 a model, data set or job named %s', async (name) => {
    const dataset = await bench.upload();
    const ask = (change: object) =>
      bench.call('POST', 'finetune/', { name: 'a', model_id: 'tiny', dataset_id: dataset, ...change });
    expect((await ask({ model_id: name })).status).toBe(404);
    expect((await ask({ dataset_id: name })).status).toBe(404);
    expect((await bench.call('GET', `datasets/${name}/preview/`)).status).toBe(404);
    expect((await bench.call('GET', `finetune/status?job_id=${name}`)).status).toBe(404);
    expect(await bench.finetuning.comparisonOf(name)).toBeNull();
  });

  it('nothing without Python', async () => {
    const bare = await FinetuningBench.open({ python: '/nowhere/python3' });
    try {
      const reason = "training needs Python 3.11 or newer, but /nowhere/python3 can't be run";
      expect((await bare.call('GET', 'finetune/models/')).body).toEqual([]);
      expect((await bare.call('GET', 'finetune/models/?all=true')).body).toMatchObject([
        { trainable: false, reason },
      ]);
      const ask = { name: 'a', model_id: 'tiny', dataset_id: await bare.upload() };
      expect(await bare.call('POST', 'finetune/', ask)).toMatchObject({
        status: 422,
        body: { detail: [{ msg: expect.stringContaining(reason) }] },
      });
    } finally {
      await bare.close();
    }
  });
});

describe.skipIf(!available)('GET /api/v1/datasets/{dataset_id}/preview/?model_id=', () => {
  it('200 token lengths under the model', async () => {
    const dataset = await bench.upload();
    const { body } = await bench.call('GET', `datasets/${dataset}/preview/?model_id=tiny`);
    expect(body).toMatchObject({
      count: 8,
      model_id: 'tiny',
      tokens: { total: 90, min: 10, median: 12, p95: 20, max: 30 },
    });
    expect((await bench.call('GET', `datasets/${dataset}/preview/?model_id=none`)).status).toBe(404);
  });
});
