import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { contentOf, type ManagementApi, Refused } from '../server/management-api.ts';
import type { FoundDocument } from './find-documents.ts';
import { paths } from './index-paths.ts';

export interface Creation {
  documents: readonly FoundDocument[];
  /** Source descriptors as JSON. */
  urls: readonly string[];
  userStory?: string | undefined;
  sync?: boolean | undefined;
  at?: string | undefined;
  syncEvery?: string | undefined;
}

export interface Sent {
  /** Ids of the commands, in the order in which they run. */
  commands: string[];
  /** Documents that the platform did not take. */
  refused: { name: string; error: string }[];
}

/** Statuses that concern one document: it is busy, too large, or of an unknown type. */
const ofOneDocument = new Set([409, 413, 415, 422]);

/** Creates a bot, or rebuilds it. */
export async function createBot(
  api: ManagementApi,
  bot: string,
  { documents, urls, userStory, sync, at, syncEvery }: Creation,
  signal: AbortSignal,
): Promise<Sent> {
  const form = new FormData();
  // Before the files, so that the server knows them while it receives those.
  if (userStory !== undefined) form.append('user_story', userStory);
  if (sync) form.append('sync', '1');
  if (at !== undefined) form.append('time_to_eval', at);
  if (documents.length === 0) {
    for (const url of urls) form.append('urls', url);
    if (syncEvery !== undefined) form.append('sync_every', syncEvery);
    const { command_id } = await api.sendForm<CommandAccepted>('PUT', paths.urls(bot), form, signal);
    return { commands: [command_id], refused: [] };
  }
  for (const { path, name } of documents) form.append('files', await contentOf(path), name);
  const { command_id } = await api.sendForm<CommandAccepted>('PUT', paths.bot(bot), form, signal);
  const added = await addDocuments(api, bot, { documents: [], urls }, signal);
  return { ...added, commands: [command_id, ...added.commands] };
}

/** Adds documents to a bot, or replaces those of the same name. One that is refused costs only itself. */
export async function addDocuments(
  api: ManagementApi,
  bot: string,
  { documents, urls }: Pick<Creation, 'documents' | 'urls'>,
  signal: AbortSignal,
): Promise<Sent> {
  const sent: Sent = { commands: [], refused: [] };
  const add = async (name: string, path: string, form: FormData) => {
    try {
      const { command_id } = await api.sendForm<CommandAccepted>('PUT', path, form, signal);
      sent.commands.push(command_id);
    } catch (error) {
      if (!(error instanceof Refused) || !ofOneDocument.has(error.status)) throw error;
      sent.refused.push({ name, error: error.message });
    }
  };
  for (const { path, name } of documents) {
    const form = new FormData();
    form.append('file', await contentOf(path), name);
    await add(name, paths.add(bot), form);
  }
  for (const url of urls) {
    const form = new FormData();
    form.append('url', url);
    await add((JSON.parse(url) as { url: string }).url, paths.addByUrl(bot), form);
  }
  return sent;
}
