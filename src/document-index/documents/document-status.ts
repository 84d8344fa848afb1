import type { DocumentStatus } from '../../contracts/document-index/documents.ts';
import type { StoredDocument } from '../tables.ts';

/** Versions of documents as the API shows them: one entry per name, by name. `deleting` are names whose deletion runs. */
export function describeDocuments(
  versions: readonly StoredDocument[],
  isDeleting: (name: string) => boolean,
): DocumentStatus[] {
  const byName = new Map<string, StoredDocument[]>();
  for (const version of versions) {
    if (version.state === 'retired' && !isDeleting(version.name)) continue;
    byName.set(version.name, [...(byName.get(version.name) ?? []), version]);
  }
  return [...byName]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, all]) => describeVersions(all, isDeleting(name)));
}

/** What is being prepared is news; then what answers; then what failed. */
const order = ['pending', 'processing', 'built', 'active', 'retired', 'error'];

const statuses: Record<StoredDocument['state'], DocumentStatus['status']> = {
  pending: 'pending',
  processing: 'processing',
  built: 'processing',
  active: 'complete',
  retired: 'deleting',
  error: 'error',
};

function describeVersions(versions: readonly StoredDocument[], isDeleting: boolean): DocumentStatus {
  const sorted = versions.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const shown = sorted[0] as StoredDocument;
  const failure = sorted.findLast(({ state }) => state === 'error');
  const error = failure?.error ?? null;
  return {
    name: shown.name,
    url: shown.url,
    status: isDeleting ? 'deleting' : statuses[shown.state],
    pages: shown.pages,
    chunks: shown.chunks,
    bytes: shown.bytes,
    sha256: shown.sha256,
    indexed_at:
      shown.state === 'active' && shown.indexed_at !== null ? new Date(shown.indexed_at).toISOString() : null,
    error: error !== null && shown.state === 'active' ? `The last update failed: ${error}` : error,
  };
}
