import { fromJson } from '../../../platform/database/json-column.ts';

interface Original {
  url: string | null;
  type: string | null;
  source_json: string | null;
}

/**
 * Whether `#page=N` after the address of a document opens that page: where the address is that of a PDF file. Pages of
 * wikis and portals, and viewers of drives, have no such anchors.
 */
export function hasPageAnchors({ url, type, source_json }: Original): boolean {
  if (type !== 'application/pdf') return false;
  if (url === null) return true;
  if (/\.pdf$/i.test(URL.parse(url)?.pathname ?? '')) return !isViewer(source_json);
  return sourceType(source_json) === 'direct_link';
}

const isViewer = (json: string | null) => ['drive_a', 'drive_b'].includes(sourceType(json) ?? '');

const sourceType = (json: string | null) =>
  json === null ? undefined : fromJson<{ type?: string }>(json).type;
