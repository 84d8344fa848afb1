import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { Problem } from '../../contracts/problems.ts';
import { scrub } from '../../platform/telemetry/redaction.ts';
import { linkIds, sourceJson } from '../commands/new-documents.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { listSources } from '../records/sources-store.ts';
import type { SourceItem } from '../sources/source.ts';
import { openSource } from './bot-sources.ts';
import { type ListedSource, sourceId, sourcePrefix } from './listed-source.ts';

type Listing = Pick<RunningDependencies, 'database' | 'secrets' | 'sources'>;

/** Lists all sources of a bot, one after another. One that can't be listed to its end counts as not listed. */
export async function listBotSources(
  deps: Listing,
  bot: string,
  signal: AbortSignal,
): Promise<ListedSource[]> {
  const listed: ListedSource[] = [];
  const rows = await listSources(deps.database, bot);
  const opened = rows.map((row) => ({ row, descriptor: openSource(deps, row) }));
  const links = linkIds(opened.flatMap(({ descriptor }) => descriptor ?? []));
  for (const { row, descriptor } of opened) {
    const prefix = descriptor ? sourcePrefix(descriptor) : '';
    const source = { type: row.type, url: row.url, json: sourceJson(row.type, row.url), prefix };
    try {
      listed.push({ ...source, ...(await listSource(deps, descriptor, links, signal)) });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem)) throw error;
      listed.push({ ...source, items: null, problem: scrub(error.message) });
    }
  }
  return listed;
}

async function listSource(
  deps: Listing,
  descriptor: SourceDescriptor | null | undefined,
  links: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Pick<ListedSource, 'items' | 'problem'>> {
  if (!descriptor) {
    return { items: null, problem: 'its credentials were stored under another secret key: add it again' };
  }
  const items = new Map<string, SourceItem>();
  for await (const item of deps.sources.list(descriptor, { signal }))
    items.set(sourceId(descriptor, item, links), item);
  // An account that has lost its access to a space may see an empty one.
  if (items.size === 0 && (descriptor.type === 'wiki' || descriptor.type === 'portal')) {
    return { items: null, problem: 'it lists no documents: the account may have lost its access' };
  }
  return { items, problem: null };
}
