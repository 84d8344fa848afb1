import type { ModelEntry } from '../../contracts/management/models.ts';
import type { ManagementApi } from '../server/management-api.ts';

/** The id in the library of a model that may be named by its short name in the catalog. */
export async function libraryId(api: ManagementApi, name: string): Promise<string> {
  const models = await api.call<ModelEntry[]>('GET', 'models/');
  if (models.some(({ model_id }) => model_id === name)) return name;
  const { readHubModels } = await import('../../models/catalog/catalog.ts');
  const { fullId } = await import('../../models/catalog/hub-model.ts');
  return fullId(readHubModels(), name);
}
