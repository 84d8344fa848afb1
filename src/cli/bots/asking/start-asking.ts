import type { Answer } from '../../../contracts/document-index/questions.ts';
import { talk } from '../../chat/talk.ts';
import { findPlatform } from '../../server/find-platform.ts';
import type { ServerOptions } from '../../server/server-options.ts';
import { print, printJson } from '../../terminal/print.ts';
import { redraw } from '../../terminal/progress-line.ts';
import { visible } from '../../terminal/visible.ts';
import { askBot, citationLines, proposals } from './ask-bot.ts';
import { BotConversation } from './bot-conversation.ts';

/** Asks one question, or opens a conversation; sets the exit code. */
export async function startAsking(
  bot: string,
  question: string | undefined,
  options: ServerOptions & { json?: boolean },
): Promise<void> {
  const target = await findPlatform(options);
  if (question !== undefined) {
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    try {
      const answer = await askOnce(target, bot, question, {
        signal: stop.signal,
        quiet: options.json === true,
      });
      if (options.json && answer) printJson(answer);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      process.exitCode = 130;
    }
    return;
  }
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (interactive) process.stdout.write(`${bot} at ${target.url} (type /help for commands)\n`);
  process.exitCode = await talk(new BotConversation(target, bot), {
    input: process.stdin,
    output: process.stdout,
    remarks: process.stderr,
    interactive,
  });
}

/** On a terminal the text appears as it is written; a pipe gets the final answer, whose citations were checked. */
async function askOnce(
  target: Parameters<typeof askBot>[0],
  bot: string,
  question: string,
  { signal, quiet }: { signal: AbortSignal; quiet: boolean },
): Promise<Answer | undefined> {
  const { stdout, stderr } = process;
  const live = stdout.isTTY && !quiet;
  let hasText = false;
  let hasStage = false;
  const clearStage = () => {
    if (hasStage) stderr.write('\r\x1b[K');
    hasStage = false;
  };
  for await (const event of askBot(target, bot, { question, history: [] }, signal)) {
    if ('stage' in event && stderr.isTTY && !quiet && !hasText) {
      hasStage = true;
      redraw(stderr, `${event.stage} …`);
    } else if ('text' in event && live) {
      clearStage();
      hasText ||= event.text !== '';
      stdout.write(visible(event.text));
    } else if ('answer' in event) {
      clearStage();
      const { answer, documents } = event.answer;
      if (quiet) return event.answer;
      if (hasText) stdout.write('\n');
      else print(answer);
      const below = [...citationLines(documents), ...proposals(event.answer)];
      if (below.length > 0) print(`\n${below.join('\n')}`);
      return event.answer;
    }
  }
  return undefined;
}
