import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../contracts/clock.ts';
import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { readFacts } from '../../../models/facts/read-facts.ts';
import type { ModelRecord } from '../../../models/library/model-record.ts';
import type { FinetuneRun } from '../finetune-store.ts';
import { TrainingResult } from '../trainer/trainer-lines.ts';

export interface AdapterRecordDependencies {
  clock: Clock;
  /** Engines that are available on this machine. */
  engines: readonly PodEngine[];
}

/** The library record of a finished adapter: PEFT's files, with llama.cpp's beside them. */
export async function adapterRecord(
  { clock, engines }: AdapterRecordDependencies,
  run: FinetuneRun,
  base: ModelRecord,
  folder: string,
): Promise<ModelRecord & { source: 'training' }> {
  const files = (await readdir(folder)).sort();
  const weights = files.filter((file) => !file.endsWith('.gguf'));
  const facts = await readFacts(
    { folder, format: 'peft', files: weights },
    { license: base.facts.license ?? null, revision: null, task: 'llm' },
    engines,
  );
  return {
    id: run.name,
    adapter: true,
    baseModelId: run.modelId,
    originModelId: null,
    source: 'training',
    repository: null,
    revision: null,
    format: 'peft',
    folder,
    entry: folder,
    files,
    facts,
    addedAt: clock.now(),
  };
}

/** The results of a finished run; undefined if the folder has none. */
export async function readTraining(folder: string): Promise<TrainingResult | undefined> {
  try {
    return TrainingResult.parse(JSON.parse(await readFile(join(folder, 'training.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
