import { estimateMemory } from '../facts/memory-estimate.ts';
import { type Catalog, sizeOf } from './catalog.ts';
import type { HubModel } from './hub-model.ts';

export interface CatalogRow {
  id: string;
  title: string;
  task: HubModel['task'];
  /** The id on the hub, for models that are fetched from there. */
  hub: string | null;
  size: number;
  /** Memory that one replica needs with a context of 8,192 tokens. */
  memory: number;
  languages: string[];
  licence: string;
  origin: string;
  here: boolean;
  note: string;
}

interface CatalogParts {
  catalog: Catalog;
  hubModels: readonly HubModel[];
  isHere(id: string): boolean;
}

const tasks = ['llm', 'embeddings', 'rerank'];

/** All models that can be added by a short name, by task and size. */
export function listCatalog({ catalog, hubModels, isHere }: CatalogParts): CatalogRow[] {
  const rows = [
    ...catalog.map((model) => ({ ...model, size: sizeOf(model), hub: null, here: isHere(model.id) })),
    ...hubModels.map((model) => ({ ...model, hub: model.model, here: isHere(model.model) })),
  ];
  return rows
    .map(({ id, title, task, hub, size, shape, languages, licence, origin, here, note }) => {
      const memory = estimateMemory(size, shape ?? null, null);
      return { id, title, task, hub, size, memory, languages, licence, origin, here, note };
    })
    .sort((a, b) => tasks.indexOf(a.task) - tasks.indexOf(b.task) || a.size - b.size);
}
