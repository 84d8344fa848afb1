import type { Clock } from '../../contracts/clock.ts';
import type { Hyperparameters } from '../../contracts/management/finetuning.ts';
import type { Catalog } from '../../models/catalog/catalog.ts';
import type { ModelLibrary } from '../../models/library/model-library.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { DatasetDependencies } from '../datasets/dataset-record.ts';
import type { TrainingMachine } from './trainable.ts';

export interface FinetuneDependencies {
  database: Database;
  clock: Clock;
  queue: Pick<WorkQueue, 'enqueue' | 'get' | 'list' | 'cancel'>;
  library: ModelLibrary;
  catalog: Catalog;
  datasets: DatasetDependencies;
  machine(): Promise<TrainingMachine>;
  /** Ends the training of a job in this process early, by the job's id. */
  ending: ReadonlyMap<string, AbortController>;
}

export interface FinetunePayload {
  run: string;
  /** As requested: the trainer chooses the rest, and chooses the same each time. */
  hyperparameters: Hyperparameters;
}
