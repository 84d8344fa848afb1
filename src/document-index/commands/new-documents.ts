import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { toJson } from '../../platform/database/json-column.ts';
import { scrub } from '../../platform/telemetry/redaction.ts';
import { freeName, nameOfLink } from '../documents/document-name.ts';
import type { Upload } from '../documents/uploads.ts';
import type { SourceItem } from '../sources/source.ts';
import type { NewDocument } from '../tables.ts';

interface Owner {
  bot: string;
  command: string;
  now: number;
}

/** A version that a command will prepare. */
export function newDocument(
  { bot, command, now }: Owner,
  document: Pick<NewDocument, 'name'> & Partial<NewDocument>,
): NewDocument {
  return {
    bot,
    command,
    url: null,
    source_json: null,
    source_id: null,
    source_version: null,
    path_json: null,
    containers_json: null,
    state: 'pending',
    blob: null,
    type: null,
    title: null,
    bytes: null,
    sha256: null,
    pages: null,
    chunks: null,
    embedded: 0,
    languages_json: '[]',
    error: null,
    created_at: now,
    indexed_at: null,
    ...document,
  };
}

export const uploadedDocument = (owner: Owner, { name, blob, type, bytes, sha256 }: Upload): NewDocument =>
  newDocument(owner, { name, blob, type, bytes, sha256 });

/** Direct links are documents from the start; what other sources hold is known when they have been listed. */
export function linkedDocuments(owner: Owner, sources: readonly SourceDescriptor[]): NewDocument[] {
  const documents = new Map<string, NewDocument>();
  for (const [address, source_id] of linkIds(sources)) {
    const url = shownUrl(address);
    const own = nameOfLink(url);
    const name = documents.has(own) ? freeName(own, (taken) => documents.has(taken)) : own;
    const source_json = sourceJson('direct_link', url);
    documents.set(name, newDocument(owner, { name, url, source_id, source_json }));
  }
  return [...documents.values()];
}

/**
 * What the direct links among the sources are known by: the address without its secrets. Links that differ only in
 * those, as `?key=…` of two documents, are numbered.
 */
export function linkIds(sources: readonly SourceDescriptor[]): Map<string, string> {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { type, url: address } of sources) {
    if (type !== 'direct_link' || ids.has(address)) continue;
    const url = shownUrl(address);
    const count = (counts.get(url) ?? 0) + 1;
    counts.set(url, count);
    ids.set(address, count === 1 ? url : `${url} (${count})`);
  }
  return ids;
}

/** How a version names its source. */
export const sourceJson = (type: string, url: string) => toJson({ type, url });

/** What a version keeps of the item that it was made from. Ids of containers must be those within the bot. */
export function itemColumns(item: SourceItem) {
  return {
    url: shownUrl(item.url),
    source_version: item.version,
    path_json: item.path.length > 0 ? toJson(item.path) : null,
    containers_json: toJson(item.containers ?? []),
    ...(item.problem !== undefined && { state: 'error' as const, error: scrub(item.problem) }),
  };
}

/** The address as everybody may see it: without passwords, tokens and signatures. */
export function shownUrl(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return scrub(url.href);
}
