import { type Command, InvalidArgumentError } from 'commander';
import { StartupError } from '../../platform/startup-error.ts';
import { readLocalKey } from '../server/local-key.ts';
import { platformAddress } from '../server/server-address.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';

interface ChatOptions extends ConfigOptions {
  url?: string;
  key?: string;
  system?: string;
  adapter?: string;
  temperature?: number;
  maxTokens?: number;
}

export function register(program: Command): void {
  withConfigOptions(program.command('chat [model]').description('Chat with a model in the terminal'))
    .option('--url <url>', 'server to use (default: the platform on this machine)')
    .option('--key <key>', 'API key for the server')
    .option('--system <text>', 'system message')
    .option('--adapter <name>', 'adapter of the model to use')
    .option('--temperature <number>', 'sampling temperature; 0 is deterministic', number)
    .option('--max-tokens <number>', 'maximum number of tokens per answer', number)
    .addHelpText(
      'after',
      '\nType /help in the chat for a list of commands. Piped input is answered line by line.',
    )
    .action(chat);
}

async function chat(model: string | undefined, options: ChatOptions): Promise<void> {
  const config = await configFrom(options);
  const { ModelServer } = await import('../chat/model-server.ts');
  const { Conversation } = await import('../chat/conversation.ts');
  const { talk } = await import('../chat/talk.ts');
  const url = options.url ?? platformAddress(config, options);
  // Users who can read the local platform's data folder can use its admin key.
  const key = options.key ?? config.admin_token ?? (options.url ? undefined : readLocalKey(config.data_dir));
  const server = new ModelServer(url, key);
  const chosen = model ?? (await server.defaultModel());
  if (!chosen)
    throw new StartupError(
      `${server.url} serves no model yet; on the first start the download may still be running`,
    );
  const settings = {
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
  };
  const conversation = new Conversation(server, chosen, options.system, settings);
  if (options.adapter) await conversation.command(`/adapter ${options.adapter}`);
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (interactive) process.stdout.write(`${conversation.model} at ${server.url} (type /help for commands)\n`);
  process.exitCode = await talk(conversation, { input: process.stdin, output: process.stdout, interactive });
}

function number(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('expected a number');
}
