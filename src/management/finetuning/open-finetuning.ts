import { availableParallelism, homedir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../contracts/clock.ts';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { DatasetPreview } from '../../contracts/management/datasets.ts';
import type { TrainingComparison } from '../../contracts/management/finetuning.ts';
import { readCatalog } from '../../models/catalog/catalog.ts';
import type { ModelLibrary } from '../../models/library/model-library.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkKind } from '../../platform/queue/work-kind.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { DatasetDependencies } from '../datasets/dataset-record.ts';
import type { ManagementSettings } from '../settings.ts';
import { comparisonOf } from './comparison.ts';
import type { FinetuneDependencies } from './finetune-dependencies.ts';
import { finetuneWork } from './finetune-work.ts';
import { createTokenLengths } from './token-lengths.ts';
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
  datasets: DatasetDependencies;
  /** Where the Python program lies; the one that comes with this program where not given. */
  trainerFolder?: string;
}

export interface Finetuning {
  /** What the routes need. */
  routes: FinetuneDependencies;
  work: { FINETUNE: WorkKind };
  /** What a deployment's `min_improvement` is held against. */
  comparisonOf(adapterId: string): Promise<TrainingComparison | null>;
  tokenLengths(datasetId: string, modelId: string, signal: AbortSignal): Promise<DatasetPreview['tokens']>;
}

/** Everything about fine-tuning: what can be trained, the runs, and what they came to. */
export function openFinetuning(deps: OpenDependencies): Finetuning {
  const { config, database, clock, logger, queue, engines, library, datasets } = deps;
  const trainer = createTrainer(config, deps.environment, deps.trainerFolder);
  const { cache } = trainerHome(config.trainer, deps.environment);
  const { device, threads = threadsToSpare() } = config.trainer;
  const settings = { dataDir: config.data_dir, cache, device, threads };
  const ending = new Map<string, AbortController>();
  return {
    routes: {
      database,
      clock,
      queue,
      library,
      catalog: readCatalog(),
      datasets,
      ending,
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
        ending,
      }) as WorkKind,
    },
    comparisonOf: (adapterId) => comparisonOf(database, adapterId),
    tokenLengths: createTokenLengths({ library, datasets, trainer }),
  };
}

/** As many threads as cores collapse as soon as anything else wants one of them, such as a pod that answers. */
const threadsToSpare = () => Math.max(1, availableParallelism() - 1);

/** For the platform, and for the command that sets the environment up beforehand. */
export function createTrainer(
  { trainer }: Pick<ManagementSettings, 'trainer'>,
  environment: Record<string, string | undefined>,
  folder = join(import.meta.dirname, '../../../trainer'),
): Trainer {
  const { python, nice, torch_index: torchIndex } = trainer;
  const home = trainerHome(trainer, environment);
  return new Trainer({ folder, python, nice, torchIndex, environment, ...home });
}

/** In the user's cache: platforms with data folders of their own share what is large and made from packages alone. */
function trainerHome(
  { home }: ManagementSettings['trainer'],
  environment: Record<string, string | undefined>,
): { environments: string; cache: string } {
  const root = home ?? join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'roundhouse');
  return { environments: join(root, 'python'), cache: join(root, 'trainer') };
}
