import { NotFound, Problem } from '../../contracts/problems.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { bytesPerToken } from '../../platform/inference/streams/answer-tail.ts';
import { mayReadBot } from '../admission/bot-readers.ts';
import type { ToolCall, ToolDependencies } from './tool-dependencies.ts';

interface Used {
  prompt_tokens: number;
  completion_tokens: number;
}

/** A bot that the caller can't see is answered like one that doesn't exist. */
export function requireReadable(
  { publicBots }: Pick<ToolDependencies, 'publicBots'>,
  { caller }: Pick<ToolCall, 'caller'>,
  bot: string,
): void {
  if (!mayReadBot(publicBots, caller, bot)) throw new NotFound('bot', bot.slice(0, 100));
}

/** Puts a question to a bot within the limits of the caller's key, or of his address without one, and counts it. */
export async function useBot<Result>(
  { metering, publicBots }: Pick<ToolDependencies, 'metering' | 'publicBots'>,
  { caller, address }: Pick<ToolCall, 'caller' | 'address'>,
  { bot, question }: { bot: string; question: string },
  work: () => Promise<{ result: Result; used: Used }>,
): Promise<Result> {
  requireReadable({ publicBots }, { caller }, bot);
  if (caller.kind === 'anonymous') publicBots.enter(address);
  const model = botPrefix + bot;
  const tokens = Math.ceil(Buffer.byteLength(question) / bytesPerToken);
  const entrance = await metering.limits.enter(caller, { model, tokens });
  if (entrance instanceof Problem) throw entrance;
  let used: Used | undefined;
  try {
    const done = await work();
    used = done.used;
    return done.result;
  } finally {
    const { prompt_tokens = 0, completion_tokens = 0 } = used ?? {};
    entrance.settle({ tokens: prompt_tokens + completion_tokens });
    if (caller.kind === 'key') {
      metering.usage.record(caller.id, model, '', used === undefined, prompt_tokens, completion_tokens);
    }
  }
}
