import type { Command } from 'commander';
import { type ChatOptions, withChatOptions } from '../chat/chat-options.ts';
import { openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';

interface Options extends ServerOptions, ChatOptions {
  allowPickle?: boolean;
}

const examples = `
Examples:
  roundhouse run qwen2.5-1.5b-instruct
  roundhouse run org/name:Q4_K_M --system "Answer briefly."
  echo "What is a roundhouse?" | roundhouse run smollm2-135m-instruct`;

export function register(program: Command): void {
  const command = program
    .command('run <model>')
    .description('Chat with a model; downloads and deploys it first if necessary');
  withChatOptions(withServerOptions(command))
    .option('--allow-pickle', 'accept pickle weights if there are no others; pickle files can run code')
    .addHelpText('after', examples)
    .action(run);
}

async function run(model: string, options: Options): Promise<void> {
  const { serveModel } = await import('../models/serve-model.ts');
  const { startChat } = await import('../chat/start-chat.ts');
  const api = await openManagement(options);
  const served = await serveModel(api, model, { allowPickle: options.allowPickle === true });
  await startChat(api.target, served, options);
}
