import { randomUUID } from 'node:crypto';
import type { Actor } from '../../../contracts/actor.ts';
import { type FinetuneRequest, smallestTrainingSet } from '../../../contracts/management/finetuning.ts';
import type { Job } from '../../../contracts/management/jobs.ts';
import { Conflict, InvalidInput, NotFound } from '../../../contracts/problems.ts';
import type { ModelRecord } from '../../../models/library/model-record.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
import { datasetKey, datasetRow } from '../../datasets/dataset-record.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import type { FinetuneDependencies, FinetunePayload } from '../finetune-dependencies.ts';
import { insertRun } from '../finetune-store.ts';
import { whyNotTrainable } from '../trainable.ts';

/** Checks the request before anything changes; the training itself is a job. */
export async function startFinetune(
  deps: FinetuneDependencies,
  actor: Actor,
  request: FinetuneRequest,
): Promise<Job> {
  const { name, dataset_id, hyperparameters = {} } = request;
  const { id: model_id } = await trainable(deps, request);
  const { database, clock, queue } = deps;
  const id = randomUUID();
  const payload: FinetunePayload = { run: id, hyperparameters };
  return database.transaction(async (session) => {
    const item = await queue.enqueue(
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
    // The queue returned an unfinished job that trains an adapter of the same name.
    if ((item.payload as FinetunePayload).run !== id) throw taken(name);
    await insertRun(session, {
      id,
      jobId: item.id,
      name,
      modelId: model_id,
      datasetId: dataset_id,
      hyperparameters,
      createdAt: clock.now(),
    });
    await recordAction({ session, clock }, actor, {
      action: 'finetune.start',
      subject: name,
      details: { model_id, dataset_id, hyperparameters, job: item.id },
      outcome: 'accepted',
    });
    return describeJob(item);
  });
}

/** The model to train; refuses what can't be trained. */
async function trainable(
  deps: FinetuneDependencies,
  { name, model_id, dataset_id }: FinetuneRequest,
): Promise<ModelRecord> {
  const model = await deps.library.find(model_id);
  if (!model) throw new NotFound('model', model_id, { code: 'model_not_found' });
  const dataset = await datasetRow(deps.datasets, dataset_id);
  const reason = whyNotTrainable(model, await deps.machine());
  if (reason !== null) throw refused('model_id', `'${model_id}' can't be trained here: ${reason}`);
  if (dataset.examples < smallestTrainingSet) {
    throw refused(
      'dataset_id',
      `the data set has ${dataset.examples} conversations, but training needs at least ${smallestTrainingSet}`,
    );
  }
  if ((await deps.library.find(name)) || deps.catalog.some(({ id }) => id === name)) throw taken(name);
  return model;
}

const taken = (name: string) => new Conflict(`the name '${name}' is taken`, { param: 'name' });

const refused = (field: string, msg: string) =>
  new InvalidInput([{ loc: ['body', field], msg, type: 'value_error' }]);
