import { BotId, type BotRecord } from '../../contracts/document-index/bots.ts';
import type { CommandStatus } from '../../contracts/document-index/commands.ts';
import { countOf } from '../../platform/count-of.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { type ManagementApi, openManagement, Refused } from '../server/management-api.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { size } from '../terminal/amounts.ts';
import { hintNext } from '../terminal/hint.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { printJson, tell } from '../terminal/print.ts';
import { type FoundDocument, findDocuments } from './find-documents.ts';
import { followCommand } from './follow-command.ts';
import { paths } from './index-paths.ts';
import { isWhole, sumOf, tellResult } from './report-command.ts';
import { addDocuments, createBot, type Sent } from './send-documents.ts';
import { completeSources, type SourceOptions } from './sources/complete-sources.ts';
import type { NamedSource } from './sources/source-option.ts';

export interface BuildOptions extends ServerOptions, SourceOptions {
  url?: NamedSource[];
  syncEvery?: string;
  userStory?: string;
  sync?: boolean;
  at?: string;
  replace?: boolean;
  detach?: boolean;
  json?: boolean;
}

/**
 * Creates a bot from files and links, and shows the progress. Documents are added to a bot that exists, unless it is
 * to be replaced. Sets the exit code.
 */
export async function buildBot(
  bot: string,
  files: readonly string[],
  options: BuildOptions,
  { create }: { create: boolean },
): Promise<void> {
  if (files.length === 0 && options.url === undefined) {
    throw new StartupError('name at least one file or folder, or a source with --url');
  }
  const { error } = BotId.safeParse(bot);
  if (error) throw new StartupError(`the name of a bot ${error.issues[0]?.message}, not '${bot}'`);
  const urls = await completeSources(options.url ?? [], options);
  const api = await openManagement(options);
  const documents = files.length === 0 ? [] : await findDocuments(files);
  const exists = await botExists(api, bot);
  if (!exists && !create)
    throw new StartupError(`there is no bot '${bot}'; create it with: roundhouse bots create`);
  const adds = exists && !options.replace;
  if (options.syncEvery !== undefined && (adds || documents.length > 0)) {
    throw new StartupError(
      `--sync-every is for new bots of sources alone; later use: roundhouse bots sync ${bot} --every`,
    );
  }
  if (adds && (options.sync || options.at !== undefined)) {
    throw new StartupError(`the bot '${bot}' exists: --sync and --at need --replace, which rebuilds it`);
  }
  const sent = await send(api, bot, { documents, urls }, options, adds);
  if (sent === undefined) return;
  const { commands, refused } = sent;
  if (options.detach) {
    for (const { name, error } of refused) tell(`failed ${name}: ${error}`);
    if (refused.length > 0) process.exitCode = 1;
    if (options.json) printJson({ bot, commands });
    else
      for (const command of commands)
        tell(`started; follow it with: roundhouse bots show ${bot} (${command})`);
    return;
  }
  const ended: CommandStatus[] = [];
  for (const [at, command] of commands.entries()) {
    ended.push(await followCommand(api, bot, command, commands.slice(at + 1)));
  }
  const indexed = sumOf(ended, refused);
  if (options.json) printJson({ bot, commands, ...indexed });
  else tellResult(bot, indexed);
  if (!isWhole(indexed)) process.exitCode = 1;
  if (options.json || indexed.added.length === 0) return;
  const { notes = [] } = await api.call<BotRecord>('GET', paths.bot(bot));
  for (const note of notes) tell(`  note: ${note}`);
  tell(`  page: ${api.target.url}/agent/${bot}`);
  hintNext(`bots ask ${bot}`);
}

/** Uploads. Undefined if the user stopped it, in which case the bot is as before. */
async function send(
  api: ManagementApi,
  bot: string,
  sources: { documents: FoundDocument[]; urls: string[] },
  options: BuildOptions,
  adds: boolean,
): Promise<Sent | undefined> {
  const { documents } = sources;
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  if (documents.length > 0) tell(`uploading ${await amount(documents)} …`);
  try {
    if (!adds) return await createBot(api, bot, { ...sources, ...options }, stop.signal);
    if (options.userStory !== undefined) {
      await api.call('PATCH', paths.bot(bot), { user_story: options.userStory });
    }
    return await addDocuments(api, bot, sources, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.exitCode = 130;
    return undefined;
  } finally {
    release();
  }
}

async function botExists(api: ManagementApi, bot: string): Promise<boolean> {
  try {
    await api.call<BotRecord>('GET', paths.bot(bot));
    return true;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return false;
    throw error;
  }
}

async function amount(documents: readonly FoundDocument[]): Promise<string> {
  const { stat } = await import('node:fs/promises');
  let bytes = 0;
  for (const { path } of documents) bytes += (await stat(path)).size;
  return `${countOf(documents.length, 'file')}, ${size(bytes)}`;
}
