import { createInterface } from 'node:readline';
import { StartupError } from '../../platform/startup-error.ts';
import { visible } from '../terminal/visible.ts';
import type { Conversation } from './conversation.ts';

export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Receives remarks on answers if the session is not interactive, so that the output has nothing but answers. */
  remarks: NodeJS.WritableStream;
  /** Whether to use prompts, line editing and Ctrl-C. */
  interactive: boolean;
}

/** Answers input until its end or /bye. Returns the exit code: 1 if a question failed in non-interactive mode. */
export async function talk(
  conversation: Pick<Conversation, 'ask' | 'command'>,
  terminal: Terminal,
): Promise<number> {
  const { input, output, interactive } = terminal;
  const remarks = interactive ? output : terminal.remarks;
  const lines = createInterface({
    input,
    output: interactive ? output : undefined,
    terminal: interactive,
    prompt: '> ',
  } as Parameters<typeof createInterface>[0]);
  let answering: AbortController | undefined;
  let failures = 0;
  // A pipe gets the answer as it is.
  const show = (text: string) => output.write(interactive ? visible(text) : text);
  lines.on('SIGINT', () => {
    if (answering) answering.abort();
    else {
      // Discards the typed line, and shows how to quit.
      lines.write(null, { ctrl: true, name: 'u' });
      output.write('\n(type /bye or press Ctrl-D to quit)\n');
      lines.prompt();
    }
  });

  const say = async (text: string) => {
    if (text.startsWith('/')) {
      const result = await conversation.command(text);
      if (result !== undefined) show(`${result}\n`);
      return result !== undefined;
    }
    answering = new AbortController();
    try {
      const notes: string[] = [];
      for await (const said of conversation.ask(text, answering.signal)) {
        if ('text' in said) show(said.text);
        else notes.push(said.note);
      }
      output.write('\n');
      for (const note of notes) remarks.write(`(${note})\n`);
    } catch (error) {
      if (!answering.signal.aborted) throw error;
      output.write('\n(stopped)\n');
    } finally {
      answering = undefined;
    }
    return true;
  };

  if (interactive) lines.prompt();
  for await (const text of messagesOf(lines, interactive)) {
    try {
      if (!(await say(text))) break;
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      failures++;
      show(`${error.message}\n`);
    }
    if (interactive) lines.prompt();
  }
  lines.close();
  return !interactive && failures > 0 ? 1 : 0;
}

/** Yields each line as a message, or several lines that are enclosed in `"""`. */
async function* messagesOf(
  lines: ReturnType<typeof createInterface>,
  interactive: boolean,
): AsyncGenerator<string> {
  let block: string[] | undefined;
  for await (const line of lines) {
    if (line.trim() === '"""') {
      if (block) yield block.join('\n');
      block = block ? undefined : [];
    } else if (block) block.push(line);
    else if (line.trim() !== '') yield line.trim();
    else if (interactive) lines.prompt();
  }
  if (block?.length) yield block.join('\n');
}
