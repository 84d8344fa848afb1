import type { FinetuneStatus } from '../../../contracts/management/finetuning.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import type { FinetuneDependencies } from '../finetune-dependencies.ts';
import { currentRun } from './current-run.ts';

export async function getFinetuneStatus(deps: FinetuneDependencies, jobId?: string): Promise<FinetuneStatus> {
  const { run, item } = await currentRun(deps, jobId);
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
