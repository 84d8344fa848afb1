import type { Found } from '../../contracts/retrieval.ts';
import type { ToolCall, ToolDependencies } from './tool-dependencies.ts';
import { useBot } from './use-bot.ts';

export interface SearchInput {
  bot: string;
  query: string;
  limit?: number | undefined;
}

/** The passages that fit a query best. Models that help with the search are not charged to the caller. */
export function searchBot(
  deps: ToolDependencies,
  call: ToolCall,
  { bot, query, limit }: SearchInput,
): Promise<Found> {
  const { signal, requestId } = call;
  const asked = { question: query, credentials: 'platform' as const, signal, requestId };
  return useBot(deps, call, { bot, question: query }, async () => {
    const result = await deps.bots.search(bot, limit === undefined ? asked : { ...asked, limit });
    return { result, used: { prompt_tokens: 0, completion_tokens: 0 } };
  });
}
