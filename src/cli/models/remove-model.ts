import type { ModelEntry } from '../../contracts/management/models.ts';
import type { ManagementApi } from '../server/management-api.ts';
import { confirm } from '../terminal/confirm.ts';

/** Removes a model; on a terminal, asks whether its adapters may go, too. */
export async function removeModel(
  api: ManagementApi,
  id: string,
  withAdapters: boolean,
): Promise<ModelEntry> {
  const models = withAdapters ? [] : await api.call<ModelEntry[]>('GET', 'models/');
  const adapters = models.filter((model) => model.adapter && model.base_model_id === id);
  const names = adapters.map(({ model_id }) => model_id).join(', ');
  // Without an answer the platform refuses, and says what to do.
  const both =
    withAdapters ||
    (adapters.length > 0 && (await confirm(`${id} is the base of ${names}. Delete these, too?`)) === true);
  return api.call('DELETE', `models/${encodeURIComponent(id)}${both ? '?with_adapters=true' : ''}`);
}
