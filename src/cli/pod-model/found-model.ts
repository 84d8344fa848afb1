import type { StoredModel } from '../../models/catalog/model-store.ts';
import { entryOf } from '../../models/library/model-library.ts';
import { filesFor } from '../../models/remote/fetch-library-model.ts';
import type { DescribedModel, FittedEngine } from './fit-engine.ts';

export interface ModelFlags {
  model: string;
  engine?: string | undefined;
  task?: string | undefined;
  dtype?: string | undefined;
  adapter?: unknown[] | undefined;
  servedModelName?: string | undefined;
}

export interface FoundModel {
  engine: string;
  task: string;
  /** A folder, a file, a URL, or an id that the engine resolves itself. */
  model: string;
  model_name: string;
  served_model_name: string;
  /** Set if the model's id selects one of several quantisations. */
  quantization?: string;
}

/** A model whose files are on this machine, with the engine that was chosen for it. */
export function foundIn(
  model: DescribedModel,
  flags: ModelFlags,
  { engine, task, form }: FittedEngine,
): FoundModel {
  const paths = filesFor(model, form).map(({ path }) => path);
  return {
    engine,
    task: flags.task ?? task,
    model: entryOf(model.folder, form, paths),
    model_name: flags.model,
    served_model_name: flags.servedModelName ?? flags.model,
  };
}

/** A model of the catalog, which names its own engine. */
export const foundStored = (stored: StoredModel, flags: ModelFlags): FoundModel => ({
  engine: flags.engine ?? stored.engine,
  task: flags.task ?? stored.task,
  model: stored.folder,
  model_name: stored.id,
  served_model_name: flags.servedModelName ?? stored.id,
});
