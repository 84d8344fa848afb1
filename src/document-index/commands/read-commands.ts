import type { CommandList, CommandStatus } from '../../contracts/document-index/commands.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { Session } from '../../platform/database/database.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import { commandKinds, isCommand } from '../command-work.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { requireBot } from '../records/find-bot.ts';
import { describeCommand } from './command-status.ts';

type Reading = Pick<IndexDependencies, 'database' | 'queue' | 'clock'>;

/** How long commands can be read after their end. */
export const keepEnded = 24 * 60 * 60_000;

/** The commands of a bot that have not ended, or not long ago; newest first. A deleted bot still has its last ones. */
export async function readCommands(deps: Reading, bot: string): Promise<CommandList> {
  const items = await deps.queue.list({ kinds: commandKinds, subject: bot });
  const shown = items.filter((item) => isCommand(item) && isKept(deps, item));
  if (shown.length === 0) await requireBot(deps.database, bot);
  return Object.fromEntries(shown.map((item) => [item.id, describeCommand(item)]));
}

export async function readCommand(deps: Reading, bot: string, id: string): Promise<CommandStatus> {
  return describeCommand(await requireCommand(deps, bot, id));
}

/** Throws `NotFound` in the words of the specification, also for the commands of other bots. */
export async function requireCommand(
  deps: Pick<Reading, 'queue' | 'clock'>,
  bot: string,
  id: string,
  session?: Session,
): Promise<WorkItem> {
  const item = await deps.queue.get(id, session).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!item || item.subject !== bot || !isCommand(item) || !isKept(deps, item)) {
    throw new NotFound('command', id, { words: 'not found' });
  }
  return item;
}

const isKept = ({ clock }: Pick<Reading, 'clock'>, { finishedAt }: WorkItem) =>
  finishedAt === null || clock.now() - finishedAt < keepEnded;
