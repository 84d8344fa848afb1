import { setTimeout as wait } from 'node:timers/promises';
import type { CommandStatus } from '../../contracts/document-index/commands.ts';
import { getWithRetries } from '../jobs/follow-job.ts';
import { type ManagementApi, Refused } from '../server/management-api.ts';
import { confirm } from '../terminal/confirm.ts';
import { tell } from '../terminal/print.ts';
import { redraw } from '../terminal/progress-line.ts';
import { commandLine } from './command-progress.ts';
import { paths } from './index-paths.ts';

const ended = ['complete', 'error', 'canceled'];

/** Shows the progress of a command until it ends. Ctrl+C asks whether to cancel it, and otherwise stops watching. */
export async function followCommand(
  api: ManagementApi,
  bot: string,
  id: string,
  /** Commands that run afterwards and are cancelled with it. */
  next: readonly string[] = [],
): Promise<CommandStatus> {
  const { stderr } = process;
  let shown = '';
  let asking = false;
  const interrupt = () => {
    if (asking) process.exit(130);
    asking = true;
    void onInterrupt(api, bot, [id, ...next]).then((goesOn) => {
      asking = !goesOn;
    });
  };
  process.on('SIGINT', interrupt);
  try {
    for (;;) {
      const status = await statusOf(api, bot, id);
      const line = commandLine(status);
      if (line !== shown && !asking) redraw(stderr, line);
      shown = line;
      if (ended.includes(status.status)) return status;
      await wait(300);
    }
  } finally {
    if (stderr.isTTY) stderr.write('\r\x1b[K');
    process.off('SIGINT', interrupt);
  }
}

async function statusOf(api: ManagementApi, bot: string, id: string): Promise<CommandStatus> {
  try {
    return await getWithRetries<CommandStatus>(api, paths.command(bot, id));
  } catch (error) {
    if (error instanceof Refused && error.status === 404) {
      throw new Refused(404, `the command ${id} is no longer known; see: roundhouse bots documents ${bot}`);
    }
    throw error;
  }
}

/** Returns whether watching goes on, until the platform has cancelled the command. */
async function onInterrupt(api: ManagementApi, bot: string, ids: readonly string[]): Promise<boolean> {
  tell('');
  if (await confirm('Cancel the indexing? The bot then stays as it was.')) {
    for (const id of ids.toReversed()) {
      await api.call('DELETE', paths.command(bot, id)).catch((error: Error) => tell(error.message));
    }
    return true;
  }
  tell('Stopped watching; the indexing goes on. Cancel it with:');
  for (const id of ids) tell(`  roundhouse bots cancel ${bot} ${id}`);
  process.exit(130);
}
