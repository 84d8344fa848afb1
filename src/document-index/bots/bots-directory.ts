import type { BotRecord } from '../../contracts/document-index/bots.ts';
import { storedDocumentUri } from '../../contracts/document-index/documents.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { BotQuery, Found } from '../../contracts/retrieval.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { listDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { hasPageAnchors } from '../retrieval/passages/page-anchors.ts';
import type { BotRow, StoredDocument } from '../tables.ts';
import { languagesOf } from './bot-record.ts';
import { countBots } from './count-bots.ts';
import { type BotWithDocuments, readBot, readBots } from './read-bots.ts';

type Reading = Pick<IndexDependencies, 'database' | 'queue'> & { blobs: Pick<BlobStore, 'get' | 'head'> };

interface Profile extends BotRecord {
  ready: boolean;
  problem: string | null;
  languages: string[];
}

/** The bots for other parts, such as the chatbot: who they are, what they know, and their documents. */
export function botsDirectory(deps: Reading, searchBot: (bot: BotRow, query: BotQuery) => Promise<Found>) {
  return {
    get: async (bot: string): Promise<Profile> => profileOf(await readBot(deps, bot)),
    count: () => countBots(deps),
    list: async (): Promise<Profile[]> => (await readBots(deps)).map(profileOf),
    search: async (bot: string, query: BotQuery): Promise<Found> =>
      searchBot(await requireBot(deps.database, bot), query),
    async documents(bot: string) {
      await requireBot(deps.database, bot);
      const active = await listDocuments(deps.database, bot, { states: ['active'] });
      return active.map(describe).sort((one, other) => (one.name < other.name ? -1 : 1));
    },
    async openDocument(bot: string, name: string) {
      await requireBot(deps.database, bot);
      const [version] = await listDocuments(deps.database, bot, { states: ['active'], name });
      const key = version?.blob;
      const info = key ? await deps.blobs.head(key) : undefined;
      if (!version || !key || !info) throw new NotFound('document', name);
      return {
        type: describe(version).type,
        size: info.size,
        modifiedAt: info.modifiedAt,
        async read(range?: { start: number; end?: number }): Promise<AsyncIterable<Uint8Array>> {
          return (await deps.blobs.get(key, range ? { range } : {})).body;
        },
      };
    },
  };
}

function profileOf({ record, documents, empty }: BotWithDocuments): Profile {
  return {
    ...record,
    ready: empty === undefined,
    problem: empty?.problem ?? null,
    languages: languagesOf(documents),
  };
}

const describe = ({ bot, name, title, url, type, source_json, pages }: StoredDocument) => ({
  name,
  title: title ?? name,
  uri: url ?? storedDocumentUri(bot, name),
  type: type ?? 'application/octet-stream',
  pages,
  pageAnchors: hasPageAnchors({ url, type, source_json }),
});
