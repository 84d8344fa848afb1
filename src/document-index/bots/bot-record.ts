import type { BotRecord } from '../../contracts/document-index/bots.ts';
import { storedDocumentUri } from '../../contracts/document-index/documents.ts';
import { fromJson } from '../../platform/database/json-column.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import type { ActiveDocument } from '../records/documents-store.ts';
import type { BotRow, StoredSource } from '../tables.ts';
import type { EmptyBot } from './empty-bot.ts';

interface DescribedBot {
  row: BotRow;
  documents: readonly Pick<ActiveDocument, 'name' | 'url'>[];
  sources: readonly Pick<StoredSource, 'type' | 'url'>[];
  /** Where it has no documents. */
  empty?: EmptyBot | undefined;
  /** The work that embeds it again, where there is one. */
  reembedding?: WorkItem | undefined;
}

/** A bot as the API shows it. */
export function describeBot({ row, documents, sources, empty, reembedding }: DescribedBot): BotRecord {
  return {
    name: row.id,
    hello_text: row.hello_text,
    retrive_n: row.retrive_n,
    support_n: row.support_n,
    example_questions: fromJson<string[]>(row.example_questions_json),
    user_story: row.user_story,
    bot_creator_credentials: row.creator,
    files: documents.map(({ name, url }) => url ?? storedDocumentUri(row.id, name)),
    ...(sources.length > 0 && {
      sources: sources.map(({ type, url }) => ({ type, url })),
      sync_every: row.sync_every,
    }),
    status: empty?.status ?? row.state,
    notes: [
      ...(empty?.problem ? [empty.problem] : []),
      ...notesOf(row),
      ...(reembedding ? [reembeddingNote(reembedding)] : []),
    ],
  };
}

function notesOf({ notes_json }: BotRow): string[] {
  const notes = fromJson<unknown>(notes_json);
  return Array.isArray(notes) ? notes.map(String) : [];
}

function reembeddingNote({ progress, startedAt }: WorkItem): string {
  if (startedAt === null) return 'The bot waits to be embedded again; until then the old vectors answer.';
  const share = progress?.total ? ` (${Math.floor((100 * progress.done) / progress.total)}%)` : '';
  return `The bot is being embedded again${share}; until then the old vectors answer.`;
}

/** The languages of the documents, the most frequent first. */
export function languagesOf(documents: readonly Pick<ActiveDocument, 'languages_json'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { languages_json } of documents) {
    for (const language of listed(fromJson<unknown>(languages_json))) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([language]) => language);
}

/** A list of codes, or the number of chunks by code. */
function listed(languages: unknown): string[] {
  if (Array.isArray(languages)) return languages.map(String);
  return typeof languages === 'object' && languages !== null ? Object.keys(languages) : [];
}
