import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onnxPrecisions } from '../../../contracts/model-options.ts';
import { NotFound } from '../../../contracts/problems.ts';
import { readAdapterConfig, whyNotConvertible } from '../../../models/conversion/adapters/adapter-config.ts';
import { servedForm } from '../../../models/conversion/served-form.ts';
import { parseModelId } from '../../../models/hub/model-reference.ts';
import type { ModelRecord } from '../../../models/library/model-record.ts';
import type { Models as OpenedModels } from '../../../models/open-models.ts';
import type { AdapterFacts, DeployableModels } from './deployable-models.ts';

interface LibraryModelsDependencies extends Pick<OpenedModels, 'library' | 'adapterFile'> {
  /** Share by which an adapter's held-out loss is lower than its base's; null if never measured. */
  improvementOf?(adapterId: string): Promise<number | null>;
}

/** The model library as deployments see it. */
export function libraryModels({
  library,
  adapterFile,
  improvementOf,
}: LibraryModelsDependencies): DeployableModels {
  const get = async (id: string): Promise<ModelRecord> => {
    const record = await library.find(id);
    if (!record) throw new NotFound('model', id, { code: 'model_not_found' });
    return record;
  };
  return {
    async find(modelId) {
      const record = await library.find(modelId);
      if (!record) return undefined;
      const { id, facts } = record;
      const served = servedForm(record);
      return {
        model_id: id,
        task: facts.task ?? null,
        engines: facts.engines ?? [],
        reason: facts.reason ?? null,
        quantization: served.quantization,
        ...(served.format === 'onnx' ? { precisions: onnxFiles(served.entry) } : {}),
        context_length: facts.context_length ?? undefined,
        memory_bytes: served.memoryBytes,
        names: namesOf(record),
        adapter: record.adapter
          ? { ...(await adapterFacts(record)), improvement: (await improvementOf?.(id)) ?? null }
          : null,
      };
    },
    async pathFor(modelId, baseId) {
      const record = await get(modelId);
      return baseId === null ? servedForm(record).entry : adapterFile(record, await get(baseId));
    },
  };
}

/** The precisions of the ONNX files in a folder. */
function onnxFiles(folder: string): string[] {
  const names = [folder, join(folder, 'onnx')].flatMap((place) => {
    try {
      return readdirSync(place);
    } catch {
      return [];
    }
  });
  return [...onnxPrecisions].flatMap(([precision, pattern]) =>
    names.some((name) => pattern.test(name)) ? [precision] : [],
  );
}

/** An adapter of the original model also fits models that were converted or quantised from it. */
function namesOf({ id, repository, originModelId }: ModelRecord): string[] {
  const names = [id, repository, originModelId].filter((name) => name !== null);
  const bare = id.includes('/') ? [parseModelId(id).repository] : [];
  return [...new Set([...names, ...bare])];
}

/** Read from a PEFT adapter's configuration; other formats are checked by the engine that loads them. */
async function adapterFacts({ folder, format, baseModelId }: ModelRecord): Promise<AdapterFacts> {
  const facts = { base_model_id: baseModelId ?? '', rank: null, target_modules: null, improvement: null };
  if (format !== 'peft') return { ...facts, obstacle: null };
  try {
    const config = await readAdapterConfig(folder);
    const modules = config.target_modules;
    return {
      ...facts,
      rank: config.r,
      target_modules: Array.isArray(modules) ? modules : null,
      obstacle: whyNotConvertible(config),
    };
  } catch (error) {
    return { ...facts, obstacle: (error as Error).message };
  }
}
