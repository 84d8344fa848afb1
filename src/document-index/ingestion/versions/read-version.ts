import { setImmediate as breathe } from 'node:timers/promises';
import { Conflict } from '../../../contracts/problems.ts';
import type { DocumentElement } from '../../../documents/element.ts';
import { languageDetector } from '../../../documents/text/detect-language.ts';
import { Unreadable } from '../../../documents/unreadable.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';
import { contextLine } from '../chunks/context-line.ts';
import { documentTitle } from '../chunks/document-title.ts';
import { draftChunks } from '../chunks/draft-chunks.ts';
import { deleteSomeChunks, insertChunks } from '../chunks-store.ts';
import type { IngestionDependencies } from '../ingestion-dependencies.ts';
import { withLocalFile } from './local-file.ts';
import { changePrepared, type StoredVersion } from './versions-store.ts';

/** Rows per transaction: on SQLite, nothing else runs meanwhile. */
const rowsAtOnce = 64;

type Dependencies = Pick<
  IngestionDependencies,
  'database' | 'blobs' | 'documents' | 'layoutModels' | 'spoolFolder' | 'settings'
>;

/** Reads a version's file and stores its chunks. Those that an interrupted run has left are replaced. */
export async function readVersion(
  deps: Dependencies,
  version: StoredVersion,
  signal: AbortSignal,
): Promise<StoredVersion> {
  if (version.blob === null) throw new Conflict(`The file of '${version.name}' has not been stored.`);
  const { elements, notes, ...file } = await withLocalFile(deps, version.blob, signal, (path) =>
    readElements(deps, version, path, signal),
  );
  while ((await deleteSomeChunks(deps.database, version.id, 500)) > 0) await breathe();
  const title = documentTitle(elements, version.name);
  const { rows, chunks, languages } = await storeChunks(deps, { version, title, elements, signal });
  if (chunks === 0) throw noText(notes);
  const read = { ...file, chunks, embedded: 0, title, languages_json: toJson(languages) };
  await deps.database.transaction(async (session) => {
    await insertChunks(session, rows);
    await changePrepared(session, version.id, read);
  });
  return { ...version, ...read };
}

async function readElements(
  { documents, layoutModels }: Dependencies,
  { name, type: hint }: StoredVersion,
  path: string,
  signal: AbortSignal,
) {
  const models = layoutModels();
  const options = { strategy: 'auto' as const, ...(models && { models }) };
  const reading = documents.read({ path, name, ...(hint !== null && { type: hint }) }, options, signal);
  const elements: DocumentElement[] = [];
  for await (const element of reading) elements.push(element);
  const { type, pages, reports } = await reading.summary;
  return {
    elements,
    type,
    pages: pages ?? null,
    notes: [...new Set(reports.flatMap(({ notes = [] }) => notes))],
  };
}

type ChunkRow = Parameters<typeof insertChunks>[1][number];

interface ChunksToStore {
  version: StoredVersion;
  title: string;
  elements: readonly DocumentElement[];
  signal: AbortSignal;
}

/** Stores all but the last chunks, whose rows are stored together with the end of the reading. */
async function storeChunks(
  { database, settings }: Dependencies,
  { version, title, elements, signal }: ChunksToStore,
): Promise<{ rows: ChunkRow[]; chunks: number; languages: string[] }> {
  const detect = languageDetector();
  const weights = new Map<string, number>();
  let position = 0;
  let rows: ChunkRow[] = [];
  const path = version.path_json === null ? [] : fromJson<string[]>(version.path_json);
  const sizes = { text: settings.chunk_characters, table: settings.table_characters };
  for (const draft of draftChunks(elements, sizes)) {
    if (!/[\p{L}\p{N}]/u.test(draft.text)) continue;
    if (rows.length >= rowsAtOnce) {
      signal.throwIfAborted();
      await insertChunks(database, rows);
      rows = [];
      await breathe();
    }
    const language = detect(draft.text)[0] ?? null;
    if (language) weights.set(language, (weights.get(language) ?? 0) + draft.text.length);
    rows.push({
      bot: version.bot,
      document: version.id,
      position: position++,
      kind: draft.kind,
      text: draft.text,
      context: contextLine(title, draft, path),
      headings_json: toJson(draft.headings),
      markdown: draft.markdown,
      page: draft.page,
      segments_json: toJson(draft.segments),
      language,
    });
  }
  signal.throwIfAborted();
  const languages = [...weights].sort(([, a], [, b]) => b - a).map(([language]) => language);
  return { rows, chunks: position, languages };
}

function noText(notes: readonly string[]): Unreadable {
  return new Unreadable('empty', ['No text was found in the document.', ...notes].join(' '));
}
