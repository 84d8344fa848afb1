import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { ModelFacts } from '../../contracts/management/models.ts';
import type { Database } from '../../platform/database/database.ts';
import { fullId, type HubModel } from '../catalog/hub-model.ts';
import type { ModelStore, StoredModel } from '../catalog/model-store.ts';
import { asServed, servedForm } from '../conversion/served-form.ts';
import type { ModelFormat } from '../facts/model-format.ts';
import { readFacts } from '../facts/read-facts.ts';
import type { ModelRecord } from './model-record.ts';
import { findModel, listModels } from './models-store.ts';

export interface LibraryDependencies {
  database: Database;
  /** The models of the catalog that are on disk. */
  catalogModels: Pick<ModelStore, 'find' | 'list' | 'remove' | 'folderOf'>;
  /** The engines that run here. */
  engines: readonly PodEngine[];
  /** Models of the hub that have a short name in the catalog. */
  hubModels: readonly HubModel[];
}

/** All models on this machine, wherever they came from. */
export interface ModelLibrary {
  list(): Promise<ModelRecord[]>;
  /** By id, or by the short name that the catalog has for it. */
  find(id: string): Promise<ModelRecord | undefined>;
}

export function createModelLibrary(deps: LibraryDependencies): ModelLibrary {
  const { database, catalogModels, engines, hubModels } = deps;
  /** Since the model was added the engines may have changed, and its files may have been deleted. */
  const current = (record: ModelRecord): ModelRecord => {
    const now = { ...record, facts: asServed(record.format, record.facts, engines) };
    if (existsSync(servedForm(now).entry)) return now;
    const reason = `its files are no longer in ${record.folder}; add it again`;
    return { ...now, facts: { ...now.facts, engines: [], reason } };
  };
  return {
    async list() {
      const ofCatalog = await Promise.all(catalogModels.list().map((model) => catalogRecord(model, engines)));
      return [...ofCatalog, ...(await listModels(database)).map(current)];
    },
    async find(id) {
      const ofCatalog = catalogModels.find(id);
      if (ofCatalog) return catalogRecord(ofCatalog, engines);
      const record = (await findModel(database, id)) ?? (await findModel(database, fullId(hubModels, id)));
      return record && current(record);
    },
  };
}

async function catalogRecord(model: StoredModel, engines: readonly PodEngine[]): Promise<ModelRecord> {
  const files = model.files.map((file) => file.path);
  const format: ModelFormat = model.engine === 'onnx' ? 'onnx' : 'gguf';
  const hints = { license: model.licence, task: model.task };
  const facts = await readFacts({ folder: model.folder, format, files }, hints, engines).catch(
    (error: Error): ModelFacts => ({ ...hints, engines: [], reason: damageOf(model, error) }),
  );
  return {
    id: model.id,
    adapter: false,
    baseModelId: null,
    originModelId: model.origin,
    source: 'catalog',
    repository: null,
    revision: null,
    format,
    folder: model.folder,
    entry: entryOf(model.folder, format, files),
    files,
    facts,
    addedAt: Date.parse(model.pulled_at),
  };
}

/** A model that can't be read is still listed, with the reason. */
function damageOf({ id, folder, files }: StoredModel, error: Error): string {
  const missing = files.find((file) => !existsSync(join(folder, file.path)));
  const what = missing ? `${missing.path} is missing in ${folder}` : error.message;
  return `it is damaged: ${what}; remove it and add it again, or run: roundhouse models pull ${id} --force`;
}

export function entryOf(folder: string, format: ModelFormat, files: readonly string[]): string {
  const first = format === 'gguf' ? [...files].sort().find((file) => file.endsWith('.gguf')) : undefined;
  return first === undefined ? folder : `${folder}/${first}`;
}
