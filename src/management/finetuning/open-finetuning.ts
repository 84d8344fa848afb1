import { availableParallelism, homedir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../contracts/clock.ts';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { DatasetPreview } from '../../contracts/management/datasets.ts';
import type { TrainingComparison } from '../../contracts/management/finetuning.ts';
import type { Catalog } from '../../models/catalog/catalog.ts';
import type { ModelLibrary } from '../../models/library/model-library.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkKind } from '../../platform/queue/work-kind.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { DatasetDependencies } from '../datasets/dataset-record.ts';
import type { ManagementSettings } from '../settings.ts';
import type { FinetuneDependencies } from './finetune-dependencies.ts';
import { comparisonOf } from './running/comparison.ts';
import { finetuneWork } from './running/finetune-work.ts';
import { createTokenLengths } from './running/token-lengths.ts';
import { Trainer } from './trainer/trainer.ts';

interface OpenDependencies {
  config: Pick<ManagementSettings, 'trainer'> & { data_dir: string };
  database: Database;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  queue: WorkQueue;
  environment: Record<string, string | undefined>;
  engines: readonly PodEngine[];
  library: ModelLibrary;
  catalog: Readonly<Catalog>;
  datasets: DatasetDependencies;
  /** Folder of the Python program. Default: the one in this repository. */
  trainerFolder?: string;
}

export interface Finetuning {
  /** Dependencies of the routes. */
  routes: FinetuneDependencies;
  work: { FINETUNE: WorkKind };
  /** A deployment's `min_improvement` is checked against it. */
  comparisonOf(adapterId: string): Promise<TrainingComparison | null>;
  tokenLengths(datasetId: string, modelId: string, signal: AbortSignal): Promise<DatasetPreview['tokens']>;
}

export function openFinetuning(deps: OpenDependencies): Finetuning {
  const { config, database, clock, logger, queue, engines, library, datasets } = deps;
  const trainer = createTrainer(config, deps.environment, deps.trainerFolder);
  const { cache } = trainerHome(config.trainer, deps.environment);
  const { device, threads = defaultThreads() } = config.trainer;
  const settings = { dataDir: config.data_dir, cache, device, threads };
  const earlyStops = new Map<string, AbortController>();
  return {
    routes: {
      database,
      clock,
      queue,
      library,
      catalog: deps.catalog,
      datasets,
      earlyStops,
      async machine() {
        const python = await trainer.findPython();
        return { obstacle: 'reason' in python ? python.reason : null, memory: totalmem() };
      },
    },
    work: {
      FINETUNE: finetuneWork({
        database,
        clock,
        logger,
        library,
        engines,
        datasets,
        trainer,
        settings,
        earlyStops,
      }) as WorkKind,
    },
    comparisonOf: (adapterId) => comparisonOf(database, adapterId),
    tokenLengths: createTokenLengths({ library, datasets, trainer }),
  };
}

/** One core stays free: with a thread on every core, training slows down sharply as soon as a pod is busy. */
const defaultThreads = () => Math.max(1, availableParallelism() - 1);

/** Used by the platform and by `roundhouse setup`. */
export function createTrainer(
  { trainer }: Pick<ManagementSettings, 'trainer'>,
  environment: Record<string, string | undefined>,
  folder = join(import.meta.dirname, '../../../trainer'),
): Trainer {
  const { python, nice, torch_index: torchIndex } = trainer;
  const home = trainerHome(trainer, environment);
  return new Trainer({ folder, python, nice, torchIndex, environment, ...home });
}

/** In the user's cache, so that platforms with different data folders share these large, reproducible files. */
function trainerHome(
  { home }: ManagementSettings['trainer'],
  environment: Record<string, string | undefined>,
): { environments: string; cache: string } {
  const root = home ?? join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'roundhouse');
  return { environments: join(root, 'python'), cache: join(root, 'trainer') };
}
