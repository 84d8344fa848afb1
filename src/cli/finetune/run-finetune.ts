import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dataset } from '../../contracts/management/datasets.ts';
import type { Deployment, DeployRequest } from '../../contracts/management/deployments.ts';
import type { FinetuneStatus, Hyperparameters } from '../../contracts/management/finetuning.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import type { TrainableModel } from '../../contracts/management/models.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { followJob, getWithRetries } from '../jobs/follow-job.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { print, printJson } from '../terminal/print.ts';
import { redraw } from '../terminal/progress-line.ts';
import { formatComparison } from './format-comparison.ts';
import { trainingLine } from './training-line.ts';

export interface RunOptions {
  model?: string;
  name?: string;
  epochs?: number;
  learningRate?: number;
  rank?: number;
  maxSeqLen?: number;
  seed?: number;
  deploy?: boolean;
  minImprovement?: number;
  json?: boolean;
}

/** Uploads, trains, compares and deploys; throws at the first step that fails. */
export async function runFinetune(api: ManagementApi, dataset: string, options: RunOptions): Promise<void> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const model = options.model ?? (await onlyTrainable(api));
  const uploaded = existsSync(dataset)
    ? await api.upload<Dataset>('datasets/upload/', resolve(dataset))
    : undefined;
  if (uploaded) say(`uploaded ${uploaded.name}: ${uploaded.examples} conversations, data set ${uploaded.id}`);
  const name = options.name ?? defaultName(dataset, uploaded !== undefined);
  const job = await api.call<Job>('POST', 'finetune/', {
    name,
    model_id: model,
    dataset_id: uploaded?.id ?? dataset,
    hyperparameters: hyperparametersOf(options),
  });
  say(`training '${name}' on ${model}; Ctrl+C stops watching, 'roundhouse finetune stop' stops the training`);
  const trained = await followTraining(api, job);
  if (trained.job.status !== 'FINISHED') {
    throw new StartupError(
      trained.job.status === 'KILLED'
        ? `the training of '${name}' was stopped`
        : (trained.job.error ?? 'the training failed'),
    );
  }
  if (trained.comparison) say(formatComparison(trained.comparison));
  const deployment = options.deploy ? await deploy(api, model, name, options.minImprovement) : undefined;
  if (options.json) return printJson({ ...trained, ...(deployment ? { deployment } : {}) });
  print(
    deployment
      ? `'${name}' is deployed; try it with: roundhouse chat ${name}`
      : `'${name}' is ready to be deployed`,
  );
}

async function onlyTrainable(api: ManagementApi): Promise<string> {
  const models = await api.call<TrainableModel[]>('GET', 'finetune/models/?all=true');
  const able = models.filter((model) => model.trainable).map((model) => model.model_id);
  if (able.length === 1) return able[0] as string;
  if (able.length > 1) throw new StartupError(`choose a model with --model: ${able.join(', ')}`);
  const reasons = models.map(({ model_id, reason }) => `${model_id}: ${reason}`);
  throw new StartupError(['no model in the library can be trained', ...reasons].join('\n  '));
}

function defaultName(dataset: string, isFile: boolean): string {
  if (!isFile) throw new StartupError('give the adapter a name with --name');
  return basename(dataset)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[._-]+/, '');
}

function hyperparametersOf(options: RunOptions): Hyperparameters {
  const { epochs, learningRate, rank, maxSeqLen, seed } = options;
  return {
    ...(epochs === undefined ? {} : { epochs }),
    ...(learningRate === undefined ? {} : { learning_rate: learningRate }),
    ...(rank === undefined ? {} : { rank }),
    ...(maxSeqLen === undefined ? {} : { max_seq_len: maxSeqLen }),
    ...(seed === undefined ? {} : { seed }),
  };
}

async function followTraining(api: ManagementApi, job: Job): Promise<FinetuneStatus> {
  const out = process.stderr;
  let shown = '';
  for (;;) {
    const status = await getWithRetries<FinetuneStatus>(api, `finetune/status?job_id=${job.id}`);
    const line = trainingLine(status);
    if (line !== shown) redraw(out, line);
    shown = line;
    if (!['CREATED', 'RUNNING'].includes(status.job.status)) {
      if (out.isTTY) out.write('\n');
      return status;
    }
    await wait(500);
  }
}

/** Deploys the adapter in addition to the base model's adapters that are already deployed. */
async function deploy(
  api: ManagementApi,
  model: string,
  name: string,
  minImprovement: number | undefined,
): Promise<Deployment> {
  const current = await api.call<Deployment>('GET', 'deploy/').catch(() => undefined);
  const beside = current?.model_id === model ? current.adapter_ids : [];
  const request: Partial<DeployRequest> = {
    model_id: model,
    adapter_ids: [...beside, name],
    ...(minImprovement === undefined ? {} : { min_improvement: minImprovement }),
  };
  const ended = await followJob(api, await api.call<Job>('POST', 'deploy/', request));
  if (ended.status !== 'FINISHED') throw new StartupError(ended.error ?? `deploying '${name}' was stopped`);
  return api.call<Deployment>('GET', 'deploy/');
}
