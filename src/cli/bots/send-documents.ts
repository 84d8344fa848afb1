import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { contentOf, type ManagementApi } from '../server/management-api.ts';
import type { FoundDocument } from './find-documents.ts';
import { paths } from './index-paths.ts';

export interface Creation {
  documents: readonly FoundDocument[];
  /** Source descriptors as JSON. */
  urls: readonly string[];
  userStory?: string | undefined;
  sync?: boolean | undefined;
  at?: string | undefined;
}

/** Creates a bot, or rebuilds it. Returns the ids of the commands, in the order in which they run. */
export async function createBot(
  api: ManagementApi,
  bot: string,
  { documents, urls, userStory, sync, at }: Creation,
  signal: AbortSignal,
): Promise<string[]> {
  const form = new FormData();
  // Before the files, so that the server knows them while it receives those.
  if (userStory !== undefined) form.append('user_story', userStory);
  if (sync) form.append('sync', '1');
  if (at !== undefined) form.append('time_to_eval', at);
  if (documents.length === 0) {
    for (const url of urls) form.append('urls', url);
    return [(await api.sendForm<CommandAccepted>('PUT', paths.urls(bot), form, signal)).command_id];
  }
  for (const { path, name } of documents) form.append('files', await contentOf(path), name);
  const { command_id } = await api.sendForm<CommandAccepted>('PUT', paths.bot(bot), form, signal);
  return [command_id, ...(await addUrls(api, bot, urls, signal))];
}

/** Adds documents to a bot, or replaces those of the same name. */
export async function addDocuments(
  api: ManagementApi,
  bot: string,
  { documents, urls }: Pick<Creation, 'documents' | 'urls'>,
  signal: AbortSignal,
): Promise<string[]> {
  const commands: string[] = [];
  for (const { path, name } of documents) {
    const form = new FormData();
    form.append('file', await contentOf(path), name);
    commands.push((await api.sendForm<CommandAccepted>('PUT', paths.add(bot), form, signal)).command_id);
  }
  return [...commands, ...(await addUrls(api, bot, urls, signal))];
}

async function addUrls(api: ManagementApi, bot: string, urls: readonly string[], signal: AbortSignal) {
  const commands: string[] = [];
  for (const url of urls) {
    const form = new FormData();
    form.append('url', url);
    commands.push((await api.sendForm<CommandAccepted>('PUT', paths.addByUrl(bot), form, signal)).command_id);
  }
  return commands;
}
