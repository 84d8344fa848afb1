import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { openManagement } from '../server/management-api.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { print, printJson, tell } from '../terminal/print.ts';
import { followCommand } from './follow-command.ts';
import { paths } from './index-paths.ts';
import { isWhole, sumOf, tellResult } from './report-command.ts';

interface SyncOptions extends ServerOptions {
  every?: string;
  detach?: boolean;
  json?: boolean;
}

/** Syncs a bot with its sources and shows what changed, or changes how often that is done. Sets the exit code. */
export async function syncBot(bot: string, options: SyncOptions): Promise<void> {
  const api = await openManagement(options);
  if (options.every !== undefined) {
    const every = options.every === 'never' ? null : options.every;
    const record = await api.call('PATCH', paths.bot(bot), { sync_every: every });
    if (options.json) return printJson(record);
    return print(every === null ? `${bot} is no longer synced` : `${bot} is synced every ${every}`);
  }
  const { command_id } = await api.call<CommandAccepted>('POST', paths.sync(bot));
  if (options.detach) {
    if (options.json) return printJson({ bot, commands: [command_id] });
    return tell(`started; follow it with: roundhouse bots show ${bot} (${command_id})`);
  }
  const status = await followCommand(api, bot, command_id);
  const indexed = sumOf([status]);
  if (options.json) printJson({ bot, status: status.status, error: status.error, ...status.result });
  else tellResult(bot, indexed);
  if (!isWhole(indexed)) process.exitCode = 1;
}
