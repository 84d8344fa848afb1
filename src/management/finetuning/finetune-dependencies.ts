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
  catalog: Readonly<Catalog>;
  datasets: DatasetDependencies;
  machine(): Promise<TrainingMachine>;
  /** By job id: ends a training in this process early. */
  earlyStops: ReadonlyMap<string, AbortController>;
}

export interface FinetunePayload {
  run: string;
  /** As requested. The trainer chooses the rest, the same on every attempt. */
  hyperparameters: Hyperparameters;
}
