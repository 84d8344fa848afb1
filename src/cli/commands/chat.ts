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
  withConfigOptions(program.command('chat [model]').description('Talk to a served model in the terminal'))
    .option('--url <url>', 'server to talk to (default: the platform on this machine)')
    .option('--key <key>', 'API key, where the server wants one')
    .option('--system <text>', 'system message to begin with')
    .option('--adapter <name>', 'adapter of the model to answer with')
    .option('--temperature <number>', 'how freely words are chosen: 0 is not at all', number)
    .option('--max-tokens <number>', 'longest answer', number)
    .addHelpText(
      'after',
      '\nIn the conversation, /help shows the commands. Piped input is answered line by line.',
    )
    .action(chat);
}

async function chat(model: string | undefined, options: ChatOptions): Promise<void> {
  const config = await configFrom(options);
  const { ModelServer } = await import('../chat/model-server.ts');
  const { Conversation } = await import('../chat/conversation.ts');
  const { talk } = await import('../chat/talk.ts');
  const url = options.url ?? platformAddress(config, options);
  // The local platform's own key opens it for whoever may read its data folder.
  const key = options.key ?? config.admin_token ?? (options.url ? undefined : readLocalKey(config.data_dir));
  const server = new ModelServer(url, key);
  const chosen = model ?? (await server.defaultModel());
  if (!chosen)
    throw new StartupError(
      `no model is served at ${server.url} yet; a first start may still be fetching one`,
    );
  const settings = {
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
  };
  const conversation = new Conversation(server, chosen, options.system, settings);
  if (options.adapter) await conversation.command(`/adapter ${options.adapter}`);
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (interactive)
    process.stdout.write(`${conversation.model} at ${server.url} (/help shows the commands)\n`);
  process.exitCode = await talk(conversation, { input: process.stdin, output: process.stdout, interactive });
}

function number(text: string): number {
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError('expected a number');
}
