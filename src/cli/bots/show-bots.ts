import type { BotRecord, BotRecords } from '../../contracts/document-index/bots.ts';
import type { CommandList } from '../../contracts/document-index/commands.ts';
import type { DocumentStatuses } from '../../contracts/document-index/documents.ts';
import { countOf } from '../../platform/count-of.ts';
import { openManagement, Refused } from '../server/management-api.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { size } from '../terminal/amounts.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';
import { paths } from './index-paths.ts';

interface Options extends ServerOptions {
  json?: boolean;
}

export async function listBots(options: Options): Promise<void> {
  const found = await (await openManagement(options)).call<BotRecords>('GET', paths.bots);
  if (options.json) return printJson(found);
  const records = Object.values(found);
  if (records.length === 0)
    return print("no bots yet; create one with 'roundhouse bots create <bot> <folder>'");
  print(
    table(
      ['BOT', 'STATUS', 'DOCUMENTS', 'CREATED BY', 'ABOUT'],
      records.map(({ name, status = '', files, bot_creator_credentials, user_story }) => [
        name,
        status,
        String(files.length),
        bot_creator_credentials,
        user_story.slice(0, 60),
      ]),
    ),
  );
}

export async function showBot(bot: string, options: Options): Promise<void> {
  const api = await openManagement(options);
  const record = await api.call<BotRecord>('GET', paths.bot(bot));
  const commands = await api.call<CommandList>('GET', paths.commands(bot));
  if (options.json) return printJson({ ...record, commands });
  const { user_story, retrive_n, support_n, files, example_questions, status, notes = [] } = record;
  const { sources = [], sync_every } = record;
  print(`${record.name}: ${countOf(files.length, 'document')}${status ? `, ${status}` : ''}`);
  if (user_story !== '') print(`about: ${user_story}`);
  print(`page: ${api.target.url}/agent/${encodeURIComponent(record.name)}`);
  print(`answers from the best ${support_n} of the ${countOf(retrive_n, 'passage')} that a search finds`);
  for (const note of notes) print(`note: ${note}`);
  for (const { type, url } of sources) print(`source: ${url} (${type})`);
  if (sync_every) print(`synced every ${interval(sync_every)}`);
  for (const question of example_questions) print(`example: ${question}`);
  const rows = Object.entries(commands).map(([id, { type, status, error }]) => [
    id,
    type,
    status,
    error ?? '',
  ]);
  if (rows.length > 0) print(`\n${table(['COMMAND', 'TYPE', 'STATUS', 'ERROR'], rows)}`);
}

const interval = (seconds: number) =>
  seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${Math.round(seconds / 60)} min`;

export async function listDocuments(bot: string, options: Options): Promise<void> {
  const found = await documentsOf(bot, options);
  if (options.json) return printJson(found);
  if (found.length === 0) return print(`${bot} has no documents`);
  print(
    table(
      ['DOCUMENT', 'STATUS', 'PAGES', 'CHUNKS', 'SIZE', 'ERROR'],
      found.map(({ name, status, pages, chunks, bytes, error }) => [
        name,
        status,
        String(pages ?? '–'),
        String(chunks ?? '–'),
        bytes === null ? '–' : size(bytes),
        error ?? '',
      ]),
    ),
  );
}

/** The index answers 404 for a bot without documents, too. */
async function documentsOf(bot: string, options: Options): Promise<DocumentStatuses> {
  const api = await openManagement(options);
  try {
    return await api.call<DocumentStatuses>('GET', paths.documents(bot));
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    await api.call<BotRecord>('GET', paths.bot(bot));
    return [];
  }
}
