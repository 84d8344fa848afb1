import { randomUUID } from 'node:crypto';
import { elementIds } from './element-ids.ts';

interface Placed {
  text: string;
  /** In the file, from 1. */
  page?: number | undefined;
}

/** The id of each element or chunk of a file, and the page that the client knows it by. */
export function wirePlaces(
  parts: readonly Placed[],
  filename: string,
  options: { unique_element_ids: boolean; starting_page_number?: number | undefined },
): { id: string; page: number | undefined }[] {
  const before = (options.starting_page_number ?? 1) - 1;
  const placed = parts.map(({ text, page }) => ({
    text,
    page: page === undefined ? undefined : page + before,
  }));
  const ids = options.unique_element_ids ? placed.map(() => randomUUID()) : elementIds(filename, placed);
  return placed.map(({ page }, at) => ({ id: ids[at] as string, page }));
}
