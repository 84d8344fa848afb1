import { nearest } from '../../platform/config/nearest.ts';
import type { CatalogModel } from './catalog.ts';

const mostSuggestions = 3;

/** Models of the catalog that someone who typed this name may have meant: those that contain it, else the closest. */
export function suggestModels(catalog: readonly Pick<CatalogModel, 'id'>[], name: string): string[] {
  const wanted = name.toLowerCase();
  const ids = catalog.map(({ id }) => id);
  const containing = ids.filter((id) => id.includes(wanted) || wanted.includes(id));
  if (containing.length > 0) return containing.slice(0, mostSuggestions);
  const close = nearest(wanted, ids);
  return close === undefined ? [] : [close];
}
