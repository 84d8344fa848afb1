import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Problem, Unprocessable } from '../../contracts/problems.ts';
import { scrub } from '../../platform/telemetry/redaction.ts';
import { itemColumns, linkIds, newDocument, shownUrl, sourceJson } from '../commands/new-documents.ts';
import { documentName, nameOfLink } from '../documents/document-name.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { insertDocuments, listDocuments, updateDocuments } from '../records/documents-store.ts';
import type { SourceItem } from '../sources/source.ts';
import { sourceId, sourcePrefix, withContainers } from '../syncing/listed-source.ts';
import type { NewDocument } from '../tables.ts';
import { NewNames } from './new-names.ts';

interface Listing {
  bot: string;
  command: string;
  sources: readonly SourceDescriptor[];
  /** Documents that are there already stay: what is listed gets other names than they have. */
  adds: boolean;
  signal: AbortSignal;
}

/**
 * Lists what the sources of a command hold, and gives each file a version to prepare. Returns the items by the id of
 * their version. After a crash it is repeated: versions are recognised by their source's id.
 */
export async function listSources(
  deps: RunningDependencies,
  { bot, command, sources, adds, signal }: Listing,
): Promise<Map<number, SourceItem>> {
  const { database, clock, settings } = deps;
  const all = await listDocuments(database, bot);
  const known = all.filter((version) => version.command === command);
  const present = adds ? all.filter(({ state }) => state === 'active') : [];
  const names = new NewNames(known, present);
  const seen = new Set(known.map(({ source_id }) => source_id));
  const items = new Map<string, SourceItem>();
  const added: NewDocument[] = [];
  const add = (document: Pick<NewDocument, 'name'> & Partial<NewDocument>) => {
    if (names.count >= settings.max_documents) {
      throw new Unprocessable(`the sources hold more than ${settings.max_documents} documents`);
    }
    added.push(newDocument({ bot, command, now: clock.now() }, { ...document, name: names.give(document) }));
  };
  const links = linkIds(sources);
  for (const descriptor of sources) {
    const url = shownUrl(descriptor.url);
    // The version of a direct link exists before the source has been asked.
    const link = links.get(descriptor.url);
    const source_json = sourceJson(descriptor.type, url);
    try {
      for await (const item of deps.sources.list(descriptor, { signal })) {
        const source_id = sourceId(descriptor, item, links);
        items.set(source_id, item);
        if (seen.has(source_id)) continue;
        seen.add(source_id);
        const name = documentName(item.name) || nameOfLink(item.url);
        const listed = withContainers(sourcePrefix(descriptor), item);
        add({ name, source_json, source_id, ...itemColumns(listed) });
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem) || error instanceof Unprocessable) throw error;
      if (link !== undefined) {
        // What was fetched before a crash is still there.
        const missing = known.filter(({ source_id, blob }) => source_id === link && blob === null);
        const failure = { state: 'error' as const, error: scrub(error.message) };
        await updateDocuments(
          database,
          missing.map(({ id }) => id),
          failure,
        );
        continue;
      }
      if (seen.has(url)) continue;
      seen.add(url);
      add({
        name: nameOfLink(url),
        url,
        source_json,
        source_id: url,
        state: 'error',
        error: scrub(error.message),
      });
    }
  }
  await database.transaction((session) => insertDocuments(session, added));
  const versions = await listDocuments(database, bot, { command });
  return new Map(
    versions.flatMap(({ id, source_id }) => {
      const item = items.get(source_id ?? '');
      return item ? [[id, item] as const] : [];
    }),
  );
}
