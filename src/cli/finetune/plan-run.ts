import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Dataset } from '../../contracts/management/datasets.ts';
import {
  FinetuneRequest,
  smallestComparedSet,
  smallestTrainingSet,
} from '../../contracts/management/finetuning.ts';
import type { ModelEntry, TrainableModel } from '../../contracts/management/models.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { libraryId } from '../models/library-id.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { quoted } from '../terminal/hint.ts';
import { checkFile } from './check-file.ts';

interface Wanted {
  model?: string;
  name?: string;
  minImprovement?: number;
}

export interface RunPlan {
  name: string;
  model: string;
  examples: number;
  /** A file to upload, or an uploaded data set. */
  data: { file: string } | { id: string };
}

/** Checks everything that can be known before anything is uploaded or started. */
export async function planRun(api: ManagementApi, dataset: string, wanted: Wanted): Promise<RunPlan> {
  const isFile = existsSync(dataset);
  const name = wanted.name ?? (isFile ? nameFor(dataset) : '');
  const found = isFile ? undefined : await findDataset(api, dataset);
  checkName(name);
  const examples = found ? (found.examples ?? 0) : await checkFile(resolve(dataset));
  checkSize(examples, wanted);
  const model = await trainableModel(api, wanted.model);
  await refuseTaken(api, name);
  return { name, model, examples, data: found ? { id: found.id } : { file: resolve(dataset) } };
}

const nameFor = (file: string) =>
  basename(file)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[._-]+/, '');

function checkName(name: string): void {
  if (name === '') throw new StartupError('give the adapter a name with --name');
  const { error } = FinetuneRequest.shape.name.safeParse(name);
  if (error) throw new StartupError(`--name '${name}': ${error.issues[0]?.message}`);
}

async function trainableModel(api: ManagementApi, name: string | undefined): Promise<string> {
  const wanted = name === undefined ? undefined : await libraryId(api, name);
  const models = await api.call<TrainableModel[]>('GET', 'finetune/models/?all=true');
  if (wanted !== undefined) {
    const model = models.find(({ model_id }) => model_id === wanted);
    if (model?.trainable) return wanted;
    throw new StartupError(
      model
        ? `--model '${name}' can't be trained here: ${model.reason}`
        : `--model '${name}' was not found in the library; add it with 'roundhouse models add ${quoted(name ?? '')} --wait'`,
    );
  }
  const able = models.filter((model) => model.trainable).map((model) => model.model_id);
  if (able.length === 1) return able[0] as string;
  if (able.length > 1) throw new StartupError(`choose a model with --model: ${able.join(', ')}`);
  const reasons = models.map(({ model_id, reason }) => `${model_id}: ${reason}`);
  throw new StartupError(['no model in the library can be trained', ...reasons].join('\n  '));
}

async function refuseTaken(api: ManagementApi, name: string): Promise<void> {
  const models = await api.call<ModelEntry[]>('GET', 'models/');
  if (!models.some(({ model_id }) => model_id === name)) return;
  throw new StartupError(
    `the name '${name}' is taken: choose another with --name, or remove it with 'roundhouse models remove ${quoted(name)}'`,
  );
}

async function findDataset(api: ManagementApi, id: string): Promise<Dataset> {
  const found = (await api.call<Dataset[]>('GET', 'datasets/')).find((dataset) => dataset.id === id);
  if (found) return found;
  throw new StartupError(
    `'${id}' is neither a file nor the id of a data set; list data sets with 'roundhouse datasets list'`,
  );
}

function checkSize(examples: number, { minImprovement }: Wanted): void {
  if (examples < smallestTrainingSet) {
    throw new StartupError(
      `the data set has ${examples} conversations, but training needs at least ${smallestTrainingSet}`,
    );
  }
  if (examples >= smallestComparedSet) return;
  const tooFew = `${examples} conversations are too few to compare the adapter with its base: that takes ${smallestComparedSet}`;
  if (minImprovement !== undefined) throw new StartupError(`${tooFew}, so --min-improvement can't be met`);
  process.stderr.write(`note: ${tooFew}\n`);
}
