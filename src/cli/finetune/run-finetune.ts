import { setTimeout as wait } from 'node:timers/promises';
import type { Dataset } from '../../contracts/management/datasets.ts';
import type { FinetuneStatus, Hyperparameters } from '../../contracts/management/finetuning.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { confirmReplacement } from '../deploy/confirm-replacement.ts';
import { getWithRetries, stopWatchingOnInterrupt } from '../jobs/follow-job.ts';
import { deployModel, deploymentOf } from '../models/deploy-model.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { hintNext } from '../terminal/hint.ts';
import { print, printJson, tell } from '../terminal/print.ts';
import { redraw } from '../terminal/progress-line.ts';
import { formatComparison } from './format-comparison.ts';
import { planRun } from './plan-run.ts';
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
  slot?: string;
  yes?: boolean;
  minImprovement?: number;
  json?: boolean;
}

/** Uploads, trains, compares and deploys; throws at the first step that fails. */
export async function runFinetune(api: ManagementApi, dataset: string, options: RunOptions): Promise<void> {
  const { name, model, data } = await planRun(api, dataset, options);
  const { slot = 'chat', yes = false } = options;
  if (options.deploy) {
    const current = (await deploymentOf(api, slot)) ?? null;
    await confirmReplacement({ slot, model, current, replace: false, yes });
  }
  const uploaded = 'file' in data ? await api.upload<Dataset>('datasets/upload/', data.file) : undefined;
  if (uploaded)
    tell(`uploaded ${uploaded.name}: ${uploaded.examples} conversations, data set ${uploaded.id}`);
  const job = await api.call<Job>('POST', 'finetune/', {
    name,
    model_id: model,
    dataset_id: 'id' in data ? data.id : uploaded?.id,
    hyperparameters: hyperparametersOf(options),
  });
  tell(
    `training '${name}' on ${model}; Ctrl+C stops watching, 'roundhouse finetune stop' stops the training`,
  );
  const trained = await followTraining(api, job);
  if (trained.job.status !== 'FINISHED') {
    throw new StartupError(
      trained.job.status === 'KILLED'
        ? `the training of '${name}' was stopped`
        : (trained.job.error ?? 'the training failed'),
    );
  }
  if (trained.comparison) tell(formatComparison(trained.comparison));
  const deployment = options.deploy
    ? await deployModel(api, { model, adapter: name, slot, minImprovement: options.minImprovement })
    : undefined;
  if (options.json) return printJson({ ...trained, ...(deployment ? { deployment } : {}) });
  print(deployment ? `'${name}' is deployed` : `'${name}' is ready to be deployed`);
  hintNext(deployment ? `chat ${name}` : `run ${name}`);
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
  const ignore = stopWatchingOnInterrupt(job);
  let shown = '';
  for (;;) {
    const status = await getWithRetries<FinetuneStatus>(api, `finetune/status?job_id=${job.id}`);
    const line = trainingLine(status);
    if (line !== shown) redraw(out, line);
    shown = line;
    if (!['CREATED', 'RUNNING'].includes(status.job.status)) {
      if (out.isTTY) out.write('\n');
      ignore();
      return status;
    }
    await wait(500);
  }
}
