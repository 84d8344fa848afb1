import { putBotInfo } from '../bots/bots-info.ts';
import type { RunningDependencies } from '../index-dependencies.ts';

/** Brings what is said about a bot up to date: greeting, notes, service collection. It must not fail the change. */
export async function introduceBot(
  deps: RunningDependencies,
  bot: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deps.introduce?.(bot, signal);
  } catch (error) {
    signal.throwIfAborted();
    deps.logger.warn({ err: error, bot }, 'the bot could not be introduced');
  }
  await putBotInfo(deps, bot);
}
