import { Unprocessable } from '../../contracts/problems.ts';
import { scrub } from '../../platform/telemetry/redaction.ts';
import { itemColumns, newDocument } from '../commands/new-documents.ts';
import { nameOfLink } from '../documents/document-name.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import {
  deleteDocumentRows,
  insertDocuments,
  listDocuments,
  updateDocuments,
} from '../records/documents-store.ts';
import type { SourceItem } from '../sources/source.ts';
import type { NewDocument, StoredDocument } from '../tables.ts';
import { listBotSources } from './list-bot-sources.ts';
import type { ListedSource } from './listed-source.ts';
import { type BotSync, claimItems, type PlannedItem, planBotSync } from './plan-bot-sync.ts';

export interface PreparedSync {
  /** What the command's versions are fetched from, by the id of the version. */
  items: Map<number, SourceItem>;
  /** Versions that go. */
  remove: ReadonlySet<number>;
  /** Records of failures that are out of date. */
  outdated: number[];
  unchanged: BotSync['unchanged'];
  /** Where versions that stay are now at their source. */
  moved: BotSync['moved'];
  /** The sources, with the reasons why they, or parts of them, could not be listed. */
  sources: readonly Pick<ListedSource, 'json' | 'url' | 'type' | 'problem'>[];
  /** Why the sync as a whole failed. */
  error: string | null;
}

interface Sync {
  bot: string;
  command: string;
  signal: AbortSignal;
}

/**
 * Lists the sources of a bot, and gives each file that is new or has changed a version to prepare. After a crash it
 * is repeated: versions of the command that still fit are continued.
 */
export async function prepareSync(
  deps: RunningDependencies,
  { bot, command, signal }: Sync,
): Promise<PreparedSync> {
  const { database, clock, settings } = deps;
  const listed = await listBotSources(deps, bot, signal);
  const all = await listDocuments(database, bot);
  const earlier = all.filter((version) => version.command === command && version.state !== 'active');
  const others = all.filter((version) => !earlier.includes(version));
  const failures = all.filter(({ state }) => state === 'error');
  const plan = planBotSync(listed, [...others.filter(({ state }) => state === 'active'), ...failures]);
  const going = new Set(plan.remove);
  const staying = others.filter(({ state, id }) => state === 'active' && !going.has(id));
  if (staying.length + plan.prepare.filter(isNew(staying)).length > settings.max_documents) {
    throw new Unprocessable(`the sources hold more than ${settings.max_documents} documents`);
  }

  const byId = new Map(all.map((version) => [version.id, version]));
  const fresh: NewDocument[] = [];
  const continued = new Set<number>();
  const begun = new Map(
    earlier.filter(({ state }) => state !== 'error').map((version) => [version.source_id, version]),
  );
  const owner = { bot, command, now: clock.now() };
  for (const planned of plan.prepare) {
    const row = newDocument(owner, { ...columnsOf(planned), ...storedFile(byId.get(planned.renames ?? 0)) });
    const started = begun.get(planned.item.id);
    if (started && isSame(started, row)) continued.add(started.id);
    else fresh.push(row);
  }
  fresh.push(...plan.problems.map((planned) => newDocument(owner, columnsOf(planned))));
  fresh.push(...listed.filter(({ items }) => items === null).map((source) => unlisted(owner, source)));

  const read = (version: StoredDocument) => version.state === 'error' && version.sha256 !== null;
  const left = earlier.filter((version) => !continued.has(version.id) && !read(version));
  const isFailure = ({ state }: StoredDocument) => state === 'error';
  await database.transaction(async (session) => {
    await deleteDocumentRows(session, left.filter(isFailure).map(idOf));
    const dropped = left.filter((version) => !isFailure(version)).map(idOf);
    await updateDocuments(session, dropped, { state: 'retired', command: null, error: null });
    await insertDocuments(session, fresh);
  });

  const claims = claimItems(listed);
  const versions = await listDocuments(database, bot, { command });
  const mentioned = new Set(versions.map(({ source_id }) => source_id));
  const reached = new Set(listed.filter(({ items }) => items !== null).map(({ json }) => json));
  const problems = listed.flatMap(({ url, problem }) => (problem === null ? [] : [`${url}: ${problem}`]));
  return {
    items: new Map(
      versions.flatMap(({ id, source_id }) => {
        const item = claims.get(source_id ?? '')?.item;
        return item ? [[id, item] as const] : [];
      }),
    ),
    remove: going,
    outdated: failures
      .filter((failure) => failure.command !== command && failure.source_json !== null)
      .filter(({ source_json, source_id, sha256 }) => {
        const isKept = sha256 !== null && plan.keep.has(source_id ?? '');
        return mentioned.has(source_id) || (reached.has(source_json ?? '') && !isKept);
      })
      .map(idOf),
    unchanged: plan.unchanged,
    moved: plan.moved,
    sources: listed.map(({ type, url, json, problem }) => {
      const part = plan.problems.find(({ item, source }) => item.unlisted && source.json === json)?.item;
      return { type, url, json, problem: problem ?? (part ? scrub(`${part.name}: ${part.problem}`) : null) };
    }),
    error: listed.length > 0 && reached.size === 0 ? problems.join('; ') : null,
  };
}

const idOf = ({ id }: { id: number }) => id;

function isNew(staying: readonly StoredDocument[]) {
  const known = new Set(staying.map(({ source_id }) => source_id));
  return ({ item }: PlannedItem) => !known.has(item.id);
}

function columnsOf({ item, source }: PlannedItem): Pick<NewDocument, 'name'> & Partial<NewDocument> {
  return { name: item.name, source_json: source.json, source_id: item.id, ...itemColumns(item) };
}

/** A document that was only renamed is indexed again from the file that is here, since its name is searched, too. */
function storedFile(version: StoredDocument | undefined): Partial<NewDocument> {
  if (!version) return {};
  const { blob, type, bytes, sha256 } = version;
  return { blob, type, bytes, sha256 };
}

const isSame = (started: StoredDocument, row: NewDocument) =>
  started.name === row.name && started.source_version === row.source_version;

const unlisted = (owner: Parameters<typeof newDocument>[0], { url, json, problem }: ListedSource) =>
  newDocument(owner, {
    name: nameOfLink(url),
    url,
    source_json: json,
    source_id: url,
    state: 'error',
    error: problem,
  });
