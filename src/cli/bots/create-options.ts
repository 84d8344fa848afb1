import type { Command } from 'commander';
import { withServerOptions } from '../server/server-options.ts';
import type { BuildOptions } from './build-bot.ts';
import { sourceNotes, withSourceOptions } from './sources/complete-sources.ts';
import { source } from './sources/source-option.ts';

const createNotes = `
Folders are read with everything below them, except hidden files. The exit code is 0 only if every document was
indexed. If the bot exists, the documents are added to it; --replace rebuilds it from these alone.`;

/** The options of `bots create` and `create-bot`, and what both do. */
export function withCreateOptions(command: Command): void {
  withSourceOptions(withServerOptions(command))
    .option(
      '--url <source>',
      'a link, a source descriptor as JSON, or @file with one; can be repeated',
      source,
    )
    .option('--sync-every <time>', 'sync with the sources this often, such as 6h')
    .option('--user-story <text>', 'who uses the bot, and what matters in its answers')
    .option('--sync', 'index before commands that are not urgent')
    .option('--at <time>', 'index no earlier than this, such as "2027-01-31 02:30"')
    .option('--replace', 'rebuild a bot that exists from these documents alone')
    .option('--detach', 'return as soon as the files are uploaded')
    .option('--json', 'print JSON')
    .addHelpText('after', createNotes + sourceNotes)
    .action((bot: string, files: string[], options: BuildOptions) => build(bot, files, options, true));
}

export async function build(
  bot: string,
  files: string[],
  options: BuildOptions,
  create: boolean,
): Promise<void> {
  const { buildBot } = await import('../bots/build-bot.ts');
  await buildBot(bot, files, options, { create });
}
