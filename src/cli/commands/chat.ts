import { type Command, Option } from 'commander';
import { type ChatOptions, withChatOptions } from '../chat/chat-options.ts';
import { findPlatform } from '../server/find-platform.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { address } from '../terminal/arguments.ts';

interface Options extends ServerOptions, ChatOptions {
  url?: string;
}

const notes = `
Type /help in the chat for a list of commands. Piped input is answered line by line.
--server can also name another server with the OpenAI API.`;

export function register(program: Command): void {
  const command = program.command('chat [model]').description('Chat with a served model in the terminal');
  withChatOptions(withServerOptions(command))
    .option('--adapter <name>', 'adapter of the model to use')
    // The option's earlier name.
    .addOption(new Option('--url <url>').argParser(address).hideHelp())
    .addHelpText('after', notes)
    .action(chat);
}

async function chat(model: string | undefined, { url, ...options }: Options): Promise<void> {
  const { startChat } = await import('../chat/start-chat.ts');
  await startChat(await findPlatform(url ? { server: url, ...options } : options), model, options);
}
