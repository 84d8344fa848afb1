import type { AnswerStage } from '../../contracts/answering.ts';
import type { Answer } from '../../contracts/document-index/questions.ts';
import { InternalFault } from '../../contracts/problems.ts';
import type { ToolCall, ToolDependencies } from './tool-dependencies.ts';
import { useBot } from './use-bot.ts';

export interface AskInput {
  bot: string;
  question: string;
  onStage(stage: AnswerStage): void;
}

/** Asks a bot and waits for its whole answer. */
export function askBot(
  deps: ToolDependencies,
  call: ToolCall,
  { bot, question, onStage }: AskInput,
): Promise<Answer> {
  return useBot(deps, call, { bot, question }, async () => {
    const { signal, requestId } = call;
    for await (const event of deps.answering.answer(bot, { question }, { signal, requestId })) {
      if (event.type === 'stage') onStage(event.stage);
      if (event.type === 'answer') return { result: event.answer, used: event.answer.usage };
    }
    throw new InternalFault('the bot ended without an answer');
  });
}
