import type { Question } from '../../../contracts/document-index/questions.ts';
import { runSlashCommand, type SlashCommand } from '../../chat/slash-command.ts';
import type { PlatformTarget } from '../../server/find-platform.ts';
import { askBot, citationLines, proposals } from './ask-bot.ts';

const help = `/clear   forget the conversation
/sources show the sources of the last answer in full
/bye     quit (or press Ctrl-D); Ctrl-C stops an answer
"""      start and end a multi-line question`;

/** A conversation with a bot: its turns so far, and the commands that change them. Independent of the terminal. */
export class BotConversation {
  readonly #target: PlatformTarget;
  readonly #bot: string;
  #history: Question['history'] = [];
  #passages: string[] = [];
  readonly #commands = new Map<string, SlashCommand>([
    ['clear', () => this.#clear()],
    ['sources', () => this.#sources()],
  ]);

  constructor(target: PlatformTarget, bot: string) {
    this.#target = target;
    this.#bot = bot;
  }

  async *ask(question: string, signal: AbortSignal): AsyncGenerator<{ text: string } | { note: string }> {
    let hasText = false;
    for await (const event of askBot(this.#target, this.#bot, { question, history: this.#history }, signal)) {
      if ('text' in event) {
        hasText ||= event.text !== '';
        yield event;
      }
      if (!('answer' in event)) continue;
      const { answer, documents } = event.answer;
      if (!hasText) yield { text: answer };
      const lines = [...citationLines(documents), ...proposals(event.answer)];
      if (lines.length > 0) yield { text: `\n\n${lines.join('\n')}` };
      this.#history = [
        ...this.#history,
        { role: 'user' as const, content: question },
        { role: 'assistant' as const, content: answer },
      ].slice(-200);
      this.#passages = documents.map(({ passage_md }, index) => `[${index + 1}] ${passage_md}`);
    }
  }

  command(line: string): Promise<string | undefined> {
    return runSlashCommand(line, this.#commands, help);
  }

  #clear(): string {
    this.#history = [];
    return 'Conversation cleared.';
  }

  #sources(): string {
    return this.#passages.length === 0 ? 'The last answer has no sources.' : this.#passages.join('\n\n');
  }
}
