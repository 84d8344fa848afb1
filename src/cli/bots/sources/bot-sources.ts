import type { BotSource, BotSources } from '../../../contracts/document-index/bot-sources.ts';
import type { CommandAccepted } from '../../../contracts/document-index/commands.ts';
import { StartupError } from '../../../platform/startup-error.ts';
import { openManagement } from '../../server/management-api.ts';
import type { ServerOptions } from '../../server/server-options.ts';
import { time } from '../../terminal/amounts.ts';
import { confirm } from '../../terminal/confirm.ts';
import { print, printJson } from '../../terminal/print.ts';
import { table } from '../../terminal/table.ts';
import { followCommand } from '../follow-command.ts';
import { paths } from '../index-paths.ts';

interface SourcesOptions extends ServerOptions {
  remove?: number;
  keepDocuments?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Shows the sources of a bot with the results of their last syncs, or removes one of them. */
export async function botSources(bot: string, options: SourcesOptions): Promise<void> {
  const api = await openManagement(options);
  const found = await api.call<BotSources>('GET', paths.sources(bot));
  if (options.remove !== undefined) return removeSource(bot, options, found);
  if (options.json) return printJson(found);
  if (found.length === 0) return print(`${bot} has no sources: there is nothing to sync its documents with`);
  const rows = found.map((source) => [
    String(source.id),
    source.type,
    source.url,
    String(source.documents),
    source.last_sync ? time(source.last_sync.at) : '–',
    changesOf(source),
    source.next_sync ? time(source.next_sync) : '–',
    source.error ?? '',
  ]);
  print(table(['ID', 'TYPE', 'ADDRESS', 'DOCUMENTS', 'LAST SYNC', 'CHANGES', 'NEXT SYNC', 'ERROR'], rows));
}

function changesOf({ last_sync }: BotSource): string {
  if (!last_sync) return '–';
  const { added, updated, removed, failed } = last_sync;
  const counts = Object.entries({ added, updated, deleted: removed, failed }).filter(
    ([, count]) => count > 0,
  );
  return counts.map(([what, count]) => `${count} ${what}`).join(', ') || 'none';
}

async function removeSource(bot: string, options: SourcesOptions, found: BotSources): Promise<void> {
  const source = found.find(({ id }) => id === options.remove);
  if (!source)
    throw new StartupError(`${bot} has no source ${options.remove}; see: roundhouse bots sources ${bot}`);
  const keep = options.keepDocuments === true;
  const what = `the source ${source.url} of ${bot}${keep ? '' : ` with its ${source.documents} documents`}`;
  const agreed = options.yes || (await confirm(`Remove ${what}?`));
  if (agreed === undefined) throw new StartupError(`this removes ${what}; confirm it with --yes`);
  if (!agreed) return;
  const api = await openManagement(options);
  const path = `${paths.source(bot, source.id)}${keep ? '?keep_documents=true' : ''}`;
  const { command_id } = await api.call<CommandAccepted>('DELETE', path);
  const { status, error, result } = await followCommand(api, bot, command_id);
  if (options.json) printJson({ status, error, result });
  else if (status === 'complete')
    print(`${source.url} was removed; ${result?.removed?.length ?? 0} documents were deleted`);
  if (status === 'complete') return;
  process.exitCode = 1;
  if (!options.json) throw new StartupError(error ?? `the removal ended as ${status}`);
}
