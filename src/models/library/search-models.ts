import type { FoundModel, FoundModels } from '../../contracts/management/models.ts';
import { Problem } from '../../contracts/problems.ts';
import { type Catalog, type CatalogModel, sizeOf } from '../catalog/catalog.ts';
import { taskOfTag } from '../facts/read-facts.ts';
import type { HubListing, SearchHub } from '../hub/search-hub.ts';
import type { ModelLibrary } from './model-library.ts';

export interface SearchDependencies {
  catalog: Catalog;
  library: Pick<ModelLibrary, 'list'>;
  searchHub: SearchHub;
}

/** Searches the catalog, and the hub where it can be reached. */
export async function searchModels(
  { catalog, library, searchHub }: SearchDependencies,
  { query, limit }: { query: string; limit: number },
): Promise<FoundModels> {
  const here = new Set((await library.list()).map(({ id }) => id));
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const known = catalog.filter((model) => words.every((word) => textOf(model).includes(word)));
  const hub = await searchHub(query, limit, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  const found = hub instanceof Problem ? [] : hub;
  return {
    models: [
      ...known.map((model) => fromCatalog(model, here)),
      ...found.map((listed) => fromHub(listed, here)),
    ],
    hub_error: hub instanceof Problem ? hub.message : null,
  };
}

const textOf = ({ id, title, task, languages, origin, note }: CatalogModel) =>
  [id, title, task, ...languages, origin, note].join(' ').toLowerCase();

const fromCatalog = (model: CatalogModel, here: ReadonlySet<string>): FoundModel => ({
  model_id: model.id,
  source: 'catalog',
  task: model.task,
  present: here.has(model.id),
  size_bytes: sizeOf(model),
  license: model.licence,
  formats: [model.engine === 'onnx' ? 'onnx' : 'gguf'],
  downloads: null,
  gated: false,
  note: model.note || null,
});

const weightFormats = ['gguf', 'safetensors', 'onnx'];

function fromHub(listed: HubListing[number], here: ReadonlySet<string>): FoundModel {
  const tags = listed.tags ?? [];
  const license = tags.find((tag) => tag.startsWith('license:'))?.slice('license:'.length);
  return {
    model_id: listed.id,
    source: 'hub',
    task: taskOfTag(listed.pipeline_tag ?? null),
    present: here.has(listed.id),
    size_bytes: null,
    license: license ?? null,
    formats: weightFormats.filter((format) => tags.includes(format)),
    downloads: listed.downloads ?? null,
    gated: Boolean(listed.gated),
    note: null,
  };
}
