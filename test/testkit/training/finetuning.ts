import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FinetuneStatus } from '../../../src/contracts/management/finetuning.ts';
import type { Job } from '../../../src/contracts/management/jobs.ts';
import { type Finetuning, openFinetuning } from '../../../src/management/finetuning/open-finetuning.ts';
import { managementService } from '../../../src/management/management-service.ts';
import { readFacts } from '../../../src/models/facts/read-facts.ts';
import { saveModel } from '../../../src/models/library/models-store.ts';
import { openModels } from '../../../src/models/open-models.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { createWorkRunner, type WorkRunner } from '../../../src/platform/queue/running/work-runner.ts';
import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { type BuiltTestApp, buildTestApp } from '../app.ts';
import { writeTinyModel } from '../models/tiny-model.ts';
import { type Requirement, requirement } from '../requirement.ts';
import { until } from '../until.ts';

/** A Python program that replaces the trainer and is started like the real one. */
export const python3 = (): Promise<Requirement> =>
  requirement('python3', () => execFileSync('python3', ['--version']).length > 0);

/** The management API with a base model called `tiny`, a fake trainer, and a work runner. */
export class FinetuningBench {
  readonly folder: string;
  readonly #test: BuiltTestApp;
  #runner: WorkRunner;
  readonly finetuning: Finetuning;
  readonly #newRunner: () => WorkRunner;

  static async open(settings: { python?: string } = {}): Promise<FinetuningBench> {
    const folder = mkdtempSync(join(tmpdir(), 'finetuning-'));
    return new FinetuningBench(await build(folder, settings), folder);
  }

  private constructor(built: Awaited<ReturnType<typeof build>>, folder: string) {
    this.folder = folder;
    this.#test = built.test;
    this.finetuning = built.finetuning;
    this.#newRunner = built.newRunner;
    this.#runner = built.newRunner();
    this.#runner.start();
  }

  get deps() {
    return this.#test.deps;
  }

  get database(): Database {
    return this.#test.deps.database;
  }

  async call(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) {
    const answer = await this.#test.app.inject({
      method,
      url: `/api/v1/${url}`,
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, body: answer.json() };
  }

  /** Uploads a data set with that many conversations and returns its id. */
  async upload(count = 8): Promise<string> {
    const lines = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ prompt: `Вопрос ${index}?`, completion: `Ответ ${index}.` }),
    );
    const form = new FormData();
    form.append('file', new Blob([lines.join('\n')]), 'data.jsonl');
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    const answer = await this.#test.app.inject({
      method: 'POST',
      url: '/api/v1/datasets/upload/',
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return answer.json().id;
  }

  async start(name: string, dataset: string, more: object = {}): Promise<Job> {
    const { body } = await this.call('POST', 'finetune/', {
      name,
      model_id: 'tiny',
      dataset_id: dataset,
      ...more,
    });
    return body;
  }

  async status(): Promise<FinetuneStatus> {
    return (await this.call('GET', 'finetune/status')).body;
  }

  ended(job: Job): Promise<Job> {
    return until('the job to end', async () => {
      const { body } = await this.call('GET', `jobs/${job.id}/status/`);
      return ['FINISHED', 'FAILED', 'KILLED'].includes(body.status) ? (body as Job) : undefined;
    });
  }

  reaches(step: number): Promise<FinetuneStatus> {
    return until(`step ${step}`, async () => {
      const status = await this.status();
      return (status.progress?.step ?? 0) >= step ? status : undefined;
    });
  }

  /** Stops the running work and resumes it with a new runner, like a restart of the platform. */
  async restart(): Promise<void> {
    await this.#runner.stop();
    this.#runner = this.#newRunner();
    this.#runner.start();
  }

  async close(): Promise<void> {
    await this.#runner.stop();
    await this.#test.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function build(folder: string, settings: { python?: string }) {
  let finetuning: Finetuning | undefined;
  let newRunner: (() => WorkRunner) | undefined;
  const nowhere = 'http://127.0.0.1:9';
  const test = await buildTestApp(async (deps) => {
    const config = {
      data_dir: join(folder, 'data'),
      hub: { endpoint: nowhere, home: join(folder, 'hub') },
      packages: { pypi_index: nowhere, maven_repository: nowhere },
      trainer: { device: 'cpu' as const, nice: 0, home: join(folder, 'home'), ...settings },
    };
    const engines = ['llamacpp' as const];
    const models = await openModels({
      ...deps,
      config,
      environment: {},
      engines,
      isDeployed: () => false,
      deployedPaths: async () => [],
    });
    await addTinyModel(deps, join(folder, 'base'));
    const opened = openFinetuning({
      ...deps,
      config,
      engines,
      library: models.library,
      catalog: models.catalogDownloads.catalog,
      logger: silentLogger(),
      datasets: deps,
      environment: { PATH: process.env.PATH },
      trainerFolder: join(import.meta.dirname, 'fake-trainer'),
    });
    finetuning = opened;
    const kinds = { ...models.work, ...opened.work };
    newRunner = () => createWorkRunner({ ...deps, logger: silentLogger(), kinds, pollEvery: 20 });
    return [managementService({ ...deps, models: models.changes, finetuning: opened })];
  });
  if (!finetuning || !newRunner) throw new Error('the service was not built');
  return { test, finetuning, newRunner };
}

async function addTinyModel({ database }: BuiltTestApp['deps'], folder: string): Promise<void> {
  mkdirSync(folder);
  writeTinyModel(join(folder, 'tiny.gguf'));
  const files = ['tiny.gguf'];
  await saveModel(database, {
    id: 'tiny',
    adapter: false,
    baseModelId: null,
    originModelId: 'org/tiny',
    source: 'folder',
    repository: null,
    revision: null,
    format: 'gguf',
    folder,
    entry: join(folder, 'tiny.gguf'),
    files,
    facts: await readFacts({ folder, format: 'gguf', files }, {}, ['llamacpp']),
    addedAt: 1,
  });
}
