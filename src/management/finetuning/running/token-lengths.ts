import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatasetPreview } from '../../../contracts/management/datasets.ts';
import { NotFound, Unavailable } from '../../../contracts/problems.ts';
import type { ModelLibrary } from '../../../models/library/model-library.ts';
import type { DatasetDependencies } from '../../datasets/dataset-record.ts';
import type { Trainer } from '../trainer/trainer.ts';
import { exportConversations } from './export-conversations.ts';

interface TokenDependencies {
  library: Pick<ModelLibrary, 'find'>;
  datasets: DatasetDependencies;
  trainer: Trainer;
}

type Lengths = DatasetPreview['tokens'];

/**
 * Counts the tokens of conversations with the model's own template and tokenizer. Counting takes seconds and a data set
 * never changes, so results are cached.
 */
export function createTokenLengths({ library, datasets, trainer }: TokenDependencies) {
  const counted = new Map<string, Lengths>();

  async function count(datasetId: string, model: string, signal: AbortSignal): Promise<Lengths> {
    const python = await trainer.find(signal);
    if (python === undefined) {
      throw new Unavailable(
        "counting tokens needs the trainer's Python packages: run roundhouse setup trainer",
      );
    }
    const folder = await mkdtemp(join(tmpdir(), 'roundhouse-preview-'));
    try {
      const data = join(folder, 'conversations.jsonl');
      await exportConversations(datasets, datasetId, data, signal);
      return (await trainer.inspect(python, { model, data }, { signal })).tokens;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return async (datasetId: string, modelId: string, signal: AbortSignal): Promise<Lengths> => {
    const model = await library.find(modelId);
    if (!model) throw new NotFound('model', modelId, { code: 'model_not_found' });
    const key = [datasetId, modelId, model.addedAt].join(' ');
    const known = counted.get(key) ?? (await count(datasetId, model.entry, signal));
    if (counted.size >= 1000) counted.clear();
    counted.set(key, known);
    return known;
  };
}
