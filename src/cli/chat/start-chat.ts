import { StartupError } from '../../platform/startup-error.ts';
import type { PlatformTarget } from '../server/find-platform.ts';
import type { ChatOptions } from './chat-options.ts';
import { Conversation } from './conversation.ts';
import { ModelServer } from './model-server.ts';
import { talk } from './talk.ts';

/** Chats on the terminal, or answers piped input; sets the exit code. */
export async function startChat(
  target: PlatformTarget,
  model: string | undefined,
  options: ChatOptions,
): Promise<void> {
  const server = new ModelServer(target.url, target.key);
  const chosen = model ?? (await server.defaultModel());
  if (!chosen) {
    throw new StartupError(
      `${server.url} serves no model yet; deploy one with 'roundhouse run <model>' (on the first start the download may still be running)`,
    );
  }
  const settings = {
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
  };
  const conversation = new Conversation(server, chosen, options.system, settings);
  if (options.adapter) await conversation.command(`/adapter ${options.adapter}`);
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (interactive) process.stdout.write(`${conversation.model} at ${server.url} (type /help for commands)\n`);
  process.exitCode = await talk(conversation, {
    input: process.stdin,
    output: process.stdout,
    remarks: process.stderr,
    interactive,
  });
}
