import type { SourceCounts } from '../../contracts/document-index/bot-sources.ts';
import type { Session } from '../../platform/database/database.ts';
import { toJson } from '../../platform/database/json-column.ts';
import { noteResult } from '../records/sources-store.ts';
import type { StoredDocument } from '../tables.ts';
import type { ListedSource } from './listed-source.ts';

type Version = Pick<StoredDocument, 'source_id' | 'source_json'>;

/** What a command did with versions of the bot. */
export interface Outcome {
  built: readonly Version[];
  failed: readonly Version[];
  skipped: readonly Version[];
  removed: readonly Version[];
  /** The versions that answered before. */
  before: readonly Version[];
  /** Those that were not even looked at, by source. */
  unchanged: ReadonlyMap<string, number>;
}

/** Notes with each source what a command did with its documents, and why it could not be listed. */
export async function noteResults(
  session: Session,
  { bot, now, outcome }: { bot: string; now: number; outcome: Outcome },
  sources: readonly Pick<ListedSource, 'type' | 'url' | 'json' | 'problem'>[],
): Promise<void> {
  for (const { type, url, json, problem } of sources) {
    const counts_json = toJson(countsOf(outcome, json));
    await noteResult(session, bot, { synced_at: now, counts_json, error: problem }, { type, url });
  }
}

export function countsOf(outcome: Outcome, json: string): SourceCounts {
  const { built, failed, skipped, removed, before, unchanged } = outcome;
  const own = (versions: readonly Version[]) => versions.filter(({ source_json }) => source_json === json);
  const known = new Set(before.map(({ source_id }) => source_id));
  const updated = own(built).filter(({ source_id }) => known.has(source_id)).length;
  return {
    added: own(built).length - updated,
    updated,
    removed: own(removed).length,
    unchanged: own(skipped).length + (unchanged.get(json) ?? 0),
    failed: own(failed).length,
  };
}
