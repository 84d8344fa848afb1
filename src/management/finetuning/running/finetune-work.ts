import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotFound, UpstreamFailed } from '../../../contracts/problems.ts';
import type { ModelLibrary } from '../../../models/library/model-library.ts';
import type { ModelRecord } from '../../../models/library/model-record.ts';
import { saveModel } from '../../../models/library/models-store.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WorkContext, WorkKind } from '../../../platform/queue/work-kind.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { DatasetDependencies } from '../../datasets/dataset-record.ts';
import type { FinetunePayload } from '../finetune-dependencies.ts';
import { curveBefore, type FinetuneRun, findRun, updateRun } from '../finetune-store.ts';
import { RunLog } from '../trainer/run-log.ts';
import { type Trainer, TrainerDied } from '../trainer/trainer.ts';
import type { TrainerLine, TrainingResult } from '../trainer/trainer-lines.ts';
import { type AdapterRecordDependencies, adapterRecord, readTraining } from './adapter-record.ts';
import { comparisonFrom } from './comparison.ts';
import { exportConversations } from './export-conversations.ts';
import { type RunFolders, runFolders } from './folders.ts';
import { RunRecord } from './run-record.ts';

export interface TrainingSettings {
  dataDir: string;
  /** Folder for converted base models. */
  cache: string;
  device: 'auto' | 'cpu' | 'cuda';
  threads: number;
}

export interface FinetuneWorkDependencies extends AdapterRecordDependencies {
  database: Database;
  logger: Pick<Logger, 'warn'>;
  library: Pick<ModelLibrary, 'find'>;
  datasets: DatasetDependencies;
  trainer: Trainer;
  settings: TrainingSettings;
  /** By job id: ends a training in this process early. */
  earlyStops: Map<string, AbortController>;
}

type Context = WorkContext<FinetunePayload>;

/** The FINETUNE job. After a crash, a restart or an interrupt it resumes from its last checkpoint. */
export function finetuneWork(deps: FinetuneWorkDependencies): WorkKind<FinetunePayload> {
  return {
    concurrency: 1,
    afterCrash: 'resume',
    // A killed trainer is retried once from its checkpoint; out of memory, it would fail the same way again.
    retryAfter: (attempt, error) => (error instanceof TrainerDied && attempt < 2 ? 2_000 : null),
    async run(context) {
      const run = await findRun(deps.database, context.payload.run);
      if (!run) throw new NotFound('fine-tuning', context.payload.run);
      const folders = runFolders(deps.settings.dataDir, run);
      // A run that resumes an interrupted one shows the whole curve; points after the checkpoint are dropped later.
      const curve = run.curve.length > 0 ? run.curve : await curveBefore(deps.database, run);
      const record = new RunRecord({ ...run, curve }, deps.database, (error) =>
        deps.logger.warn({ err: error, job: context.id }, "could not save a training run's progress"),
      );
      const base = await deps.library.find(run.modelId);
      if (!base) throw new NotFound('model', run.modelId);
      const result = await ensureTrained(deps, context, { run, base, folders, record });
      const model = await adapterRecord(deps, run, base, folders.output);
      await context.finish(async (session) => {
        await saveModel(session, model);
        await updateRun(session, run.id, { ...record.values, comparison: comparisonFrom(result) });
      });
      await rm(folders.work, { recursive: true, force: true });
    },
  };
}

interface Training {
  run: FinetuneRun;
  base: ModelRecord;
  folders: RunFolders;
  record: RunRecord;
}

/** Trains the adapter, unless an earlier attempt has finished it. */
async function ensureTrained(
  deps: FinetuneWorkDependencies,
  context: Context,
  training: Training,
): Promise<TrainingResult> {
  const { output } = training.folders;
  if (existsSync(output)) {
    // A crash after the trainer finished left it; other adapters of this name were refused at the start.
    const made = context.attempt > 1 ? await readTraining(output) : undefined;
    if (made) return made;
    await rm(output, { recursive: true, force: true });
  }
  const log = new RunLog(training.folders.log);
  try {
    return await train(deps, context, training, log);
  } catch (error) {
    if (error instanceof UpstreamFailed && !(error instanceof TrainerDied)) {
      throw new UpstreamFailed(`${error.message}; see its log: ${training.folders.log}`, { cause: error });
    }
    throw error;
  } finally {
    await training.record.close();
    await log.close();
  }
}

async function train(
  { trainer, datasets, settings, earlyStops }: FinetuneWorkDependencies,
  { id, signal, report, payload }: Context,
  { run, base, folders, record }: Training,
  log: RunLog,
): Promise<TrainingResult> {
  const reportMessage = (message: string) => report({ ...steps(record), message });
  const early = new AbortController();
  const onLine = (line: TrainerLine) => {
    record.follow(line);
    if (line.event === 'stage') reportMessage(line.message);
    if (line.event !== 'progress') return;
    earlyStops.set(id, early);
    reportMessage(describeProgress(line));
  };
  const watch = { signal, onLine, log: (text: string) => log.write(text) };
  reportMessage('Checking the Python packages for training');
  const python = await trainer.prepare(watch);
  await mkdir(folders.work, { recursive: true });
  const data = join(folders.work, 'conversations.jsonl');
  await exportConversations(datasets, run.datasetId, data, signal);
  const config = join(folders.work, 'run.json');
  const requested = { ...run, hyperparameters: payload.hyperparameters };
  await writeFile(config, JSON.stringify(trainerConfig(requested, base, folders, settings, data), null, 2));
  return trainer
    .train(python, config, { ...watch, early: early.signal })
    .finally(() => earlyStops.delete(id));
}

/** See `trainer/README.md` for the format. */
function trainerConfig(
  run: FinetuneRun,
  base: ModelRecord,
  { output, work }: RunFolders,
  { cache, device, threads }: TrainingSettings,
  data: string,
) {
  return {
    model: base.entry,
    data,
    output,
    work: join(work, 'checkpoint'),
    cache,
    name: run.name,
    base: { id: base.originModelId ?? base.id, revision: base.revision },
    hyperparameters: run.hyperparameters,
    device,
    threads,
  };
}

const steps = ({ progress }: RunRecord) => ({
  done: progress?.step ?? 0,
  total: progress?.total ?? null,
  unit: 'steps',
});

function describeProgress({ loss, remaining_seconds }: Extract<TrainerLine, { event: 'progress' }>): string {
  const rest = remaining_seconds === null ? '' : `, about ${Math.ceil(remaining_seconds)} s left`;
  return `Training${loss === null ? '' : `, loss ${loss.toFixed(3)}`}${rest}`;
}
