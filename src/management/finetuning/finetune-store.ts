import type {
  Hyperparameters,
  LossPoint,
  TrainingComparison,
  TrainingProgress,
} from '../../contracts/management/finetuning.ts';
import type { Session } from '../../platform/database/database.ts';
import { fromJson, toJson } from '../../platform/database/json-column.ts';
import type { FinetuneRunRow } from '../tables.ts';

export interface FinetuneRun {
  id: string;
  jobId: string;
  /** Name of the adapter. */
  name: string;
  modelId: string;
  datasetId: string;
  /** As requested at first, then as chosen by the trainer. */
  hyperparameters: Hyperparameters;
  progress: TrainingProgress | null;
  curve: LossPoint[];
  comparison: TrainingComparison | null;
  createdAt: number;
}

type NewRun = Omit<FinetuneRun, 'progress' | 'curve' | 'comparison'>;

export async function insertRun({ query }: Session, run: NewRun): Promise<void> {
  await query
    .insertInto('finetune_runs')
    .values({
      id: run.id,
      job_id: run.jobId,
      name: run.name,
      model_id: run.modelId,
      dataset_id: run.datasetId,
      hyperparameters_json: toJson(run.hyperparameters),
      progress_json: null,
      curve_json: null,
      comparison_json: null,
      created_at: run.createdAt,
    })
    .execute();
}

type Change = Partial<Pick<FinetuneRun, 'hyperparameters' | 'progress' | 'curve' | 'comparison'>>;

export async function updateRun({ query }: Session, id: string, change: Change): Promise<void> {
  const { hyperparameters, progress, curve, comparison } = change;
  await query
    .updateTable('finetune_runs')
    .set({
      ...(hyperparameters === undefined ? {} : { hyperparameters_json: toJson(hyperparameters) }),
      ...(progress === undefined ? {} : { progress_json: toJson(progress) }),
      ...(curve === undefined ? {} : { curve_json: toJson(curve) }),
      ...(comparison === undefined ? {} : { comparison_json: toJson(comparison) }),
    })
    .where('id', '=', id)
    .execute();
}

export async function findRun({ query }: Session, id: string): Promise<FinetuneRun | undefined> {
  const row = await query.selectFrom('finetune_runs').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toRun(row);
}

export async function findRunOfJob({ query }: Session, jobId: string): Promise<FinetuneRun | undefined> {
  const row = await query
    .selectFrom('finetune_runs')
    .selectAll()
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  return row && toRun(row);
}

/** The losses of the previous run with the same name, model and data set, whose checkpoint this run may resume. */
export async function curveBefore({ query }: Session, run: FinetuneRun): Promise<LossPoint[]> {
  const row = await query
    .selectFrom('finetune_runs')
    .select('curve_json')
    .where('name', '=', run.name)
    .where('model_id', '=', run.modelId)
    .where('dataset_id', '=', run.datasetId)
    .where('id', '!=', run.id)
    .where('curve_json', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return fromJson<LossPoint[]>(row?.curve_json ?? null) ?? [];
}

/** The last run of an adapter that was compared with its base. */
export async function findCompared({ query }: Session, name: string): Promise<FinetuneRun | undefined> {
  const row = await query
    .selectFrom('finetune_runs')
    .selectAll()
    .where('name', '=', name)
    .where('comparison_json', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toRun(row);
}

function toRun(row: FinetuneRunRow): FinetuneRun {
  return {
    id: row.id,
    jobId: row.job_id,
    name: row.name,
    modelId: row.model_id,
    datasetId: row.dataset_id,
    hyperparameters: fromJson(row.hyperparameters_json),
    progress: row.progress_json === null ? null : fromJson(row.progress_json),
    curve: row.curve_json === null ? [] : fromJson(row.curve_json),
    comparison: row.comparison_json === null ? null : fromJson(row.comparison_json),
    createdAt: row.created_at,
  };
}
