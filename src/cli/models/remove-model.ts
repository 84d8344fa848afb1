import type { ModelEntry } from '../../contracts/management/models.ts';
import { type ManagementApi, Refused } from '../server/management-api.ts';
import { confirm } from '../terminal/confirm.ts';

/** Removes a model; on a terminal, asks whether its adapters may go, too. */
export async function removeModel(
  api: ManagementApi,
  id: string,
  withAdapters: boolean,
): Promise<ModelEntry> {
  const remove = (query: string) =>
    api.call<ModelEntry>('DELETE', `models/${encodeURIComponent(id)}${query}`);
  if (withAdapters) return remove('?with_adapters=true');
  try {
    return await remove('');
  } catch (error) {
    const hasAdapters = error instanceof Refused && error.message.includes('with_adapters');
    if (!hasAdapters || !(await confirm(`${error.message}.\nDelete the adapters, too?`))) throw error;
    return remove('?with_adapters=true');
  }
}
