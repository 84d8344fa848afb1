import type { FoundModel, FoundModels } from '../../contracts/management/models.ts';
import { Problem } from '../../contracts/problems.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { HubModel } from '../catalog/hub-model.ts';
import { type CatalogRow, listCatalog } from '../catalog/list-catalog.ts';
import { taskOfTag } from '../facts/read-facts.ts';
import type { HubListing, SearchHub } from '../hub/search-hub.ts';
import type { ModelLibrary } from './model-library.ts';

export interface SearchDependencies {
  catalog: Catalog;
  hubModels: readonly HubModel[];
  library: Pick<ModelLibrary, 'list'>;
  searchHub: SearchHub;
}

/** Searches the catalog, and the hub where it can be reached. */
export async function searchModels(
  { catalog, hubModels, library, searchHub }: SearchDependencies,
  { query, limit }: { query: string; limit: number },
): Promise<FoundModels> {
  const here = new Set((await library.list()).map(({ id }) => id));
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = listCatalog({ catalog, hubModels, isHere: (id) => here.has(id) });
  const known = rows.filter((row) => words.every((word) => textOf(row).includes(word)));
  const hub = await searchHub(query, limit, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  const found = hub instanceof Problem ? [] : hub;
  return {
    models: [...known.map(fromCatalog), ...found.map((listed) => fromHub(listed, here))],
    hub_error: hub instanceof Problem ? hub.message : null,
  };
}

const textOf = ({ id, hub, title, task, languages, origin, note }: CatalogRow) =>
  [id, hub, title, task, ...languages, origin, note].join(' ').toLowerCase();

const fromCatalog = (row: CatalogRow): FoundModel => ({
  model_id: row.id,
  source: 'catalog',
  task: row.task,
  present: row.here,
  size_bytes: row.size,
  license: row.licence,
  formats: row.hub === null ? [row.task === 'llm' ? 'gguf' : 'onnx'] : [],
  downloads: null,
  gated: false,
  note: row.note || null,
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
