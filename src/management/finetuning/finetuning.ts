import { randomUUID } from 'node:crypto';
import type { Clock } from '../../contracts/clock.ts';
import type {
  FinetuneRequest,
  FinetuneStatus,
  Hyperparameters,
} from '../../contracts/management/finetuning.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import type { TrainableModel } from '../../contracts/management/models.ts';
import { Conflict, InvalidInput, NotFound } from '../../contracts/problems.ts';
import type { Catalog } from '../../models/catalog/catalog.ts';
import type { ModelLibrary } from '../../models/library/model-library.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import { type DatasetDependencies, datasetKey, datasetRow } from '../datasets/datasets.ts';
import { describeJob } from '../jobs/describe-job.ts';
import { type FinetuneRun, findRunOfJob, insertRun } from './finetune-store.ts';
import { describeTrainable, type TrainingMachine, whyNotTrainable } from './trainable.ts';

export interface FinetuneDependencies {
  database: Database;
  clock: Clock;
  queue: Pick<WorkQueue, 'enqueue' | 'get' | 'list' | 'cancel'>;
  library: ModelLibrary;
  catalog: Catalog;
  datasets: DatasetDependencies;
  machine(): Promise<TrainingMachine>;
  /** How each job that trains in this process is told to come to an end. */
  ending: ReadonlyMap<string, AbortController>;
}

export interface FinetunePayload {
  run: string;
  /** As asked for: the trainer chooses the rest, and chooses the same each time. */
  hyperparameters: Hyperparameters;
}

/** Fewer than this the trainer refuses. */
const leastExamples = 4;

/** Every base that is here: whether it can be trained, and why not. */
export async function listTrainable({ library, machine }: FinetuneDependencies): Promise<TrainableModel[]> {
  const here = await machine();
  const bases = (await library.list()).filter((model) => !model.adapter);
  return bases.map((model) => describeTrainable(model, here));
}

/** Refuses at once what can't be done; the rest is a job. */
export async function startFinetune(deps: FinetuneDependencies, request: FinetuneRequest): Promise<Job> {
  const { name, model_id, dataset_id, hyperparameters = {} } = request;
  const model = await deps.library.find(model_id);
  if (!model) throw new NotFound('model', model_id, { code: 'model_not_found' });
  const dataset = await datasetRow(deps.datasets, dataset_id);
  const reason = whyNotTrainable(model, await deps.machine());
  if (reason !== null) throw refused('model_id', `'${model_id}' can't be trained here: ${reason}`);
  if (dataset.examples < leastExamples) {
    throw refused(
      'dataset_id',
      `the data set has ${dataset.examples} conversations, and training needs at least ${leastExamples}`,
    );
  }
  if ((await deps.library.find(name)) || deps.catalog.some(({ id }) => id === name)) throw taken(name);
  const id = randomUUID();
  const payload: FinetunePayload = { run: id, hyperparameters };
  return deps.database.transaction(async (session) => {
    const item = await deps.queue.enqueue(
      {
        kind: 'FINETUNE',
        name: `FT_${model_id}_${dataset_id}`,
        payload,
        subject: model_id,
        uniqueKey: `adapter:${name}`,
        exclusiveKeys: ['training', datasetKey(dataset_id)],
      },
      session,
    );
    // The queue gave the one that is under way: two can't make an adapter of the same name.
    if ((item.payload as FinetunePayload).run !== id) throw taken(name);
    await insertRun(session, {
      id,
      jobId: item.id,
      name,
      modelId: model_id,
      datasetId: dataset_id,
      hyperparameters,
      createdAt: deps.clock.now(),
    });
    return describeJob(item);
  });
}

/** The run of that job; without one, the run under way, else the last. */
export async function getFinetuneStatus(deps: FinetuneDependencies, jobId?: string): Promise<FinetuneStatus> {
  const item = jobId === undefined ? await currentJob(deps) : await deps.queue.get(jobId);
  const run = item && (await findRunOfJob(deps.database, item.id));
  if (!item || !run) throw new NotFound('fine-tuning', jobId ?? 'current');
  return describeRun(run, item);
}

/** The answer is the job that is being stopped. Its checkpoint stays: the same request goes on from there. */
export async function interruptFinetune(deps: FinetuneDependencies): Promise<Job> {
  const item = await currentJob(deps);
  if (!item) throw new NotFound('fine-tuning', 'current');
  const stopped = await deps.queue.cancel(item.id);
  return { ...describeJob(stopped), status: 'RUNNING', finished_at: null };
}

/** The adapter is compared and kept as it stands. */
export async function finishFinetune(deps: FinetuneDependencies): Promise<Job> {
  const item = await currentJob(deps);
  if (!item) throw new NotFound('fine-tuning', 'current');
  const ending = deps.ending.get(item.id);
  if (item.state !== 'RUNNING' || !ending) throw new Conflict(`${item.name} has no steps to end early`);
  ending.abort();
  return describeJob(item);
}

async function currentJob({ queue }: FinetuneDependencies): Promise<WorkItem | undefined> {
  const kinds = ['FINETUNE'];
  const [running] = await queue.list({ kinds, states: ['RUNNING'], limit: 1 });
  return running ?? (await queue.list({ kinds, limit: 1 }))[0];
}

function describeRun(run: FinetuneRun, item: WorkItem): FinetuneStatus {
  const { id, name, modelId, datasetId, hyperparameters, progress, curve, comparison } = run;
  return {
    id,
    name,
    model_id: modelId,
    dataset_id: datasetId,
    job: describeJob(item),
    hyperparameters,
    progress,
    loss_curve: curve,
    comparison,
  };
}

const taken = (name: string) => new Conflict(`the name '${name}' is taken`, { param: 'name' });

const refused = (field: string, msg: string) =>
  new InvalidInput([{ loc: ['body', field], msg, type: 'value_error' }]);
