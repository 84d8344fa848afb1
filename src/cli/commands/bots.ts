import type { Command } from 'commander';
import type { CommandAccepted, CommandStatus } from '../../contracts/document-index/commands.ts';
import { countOf } from '../../platform/count-of.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { BuildOptions } from '../bots/build-bot.ts';
import { build, withCreateOptions } from '../bots/create-options.ts';
import { paths } from '../bots/index-paths.ts';
import { listBots, listDocuments, showBot } from '../bots/show-bots.ts';
import { type SourceOptions, sourceNotes, withSourceOptions } from '../bots/sources/complete-sources.ts';
import { type NamedSource, source } from '../bots/sources/source-option.ts';
import { openManagement, Refused } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/print.ts';

interface Options extends ServerOptions {
  json?: boolean;
  yes?: boolean;
}

const examples = `
Examples:
  roundhouse bots create handbook ./documents --user-story "New colleagues ask about our rules"
  roundhouse bots create wiki --url https://example.com/handbook.pdf
  roundhouse bots preview --type wiki https://wiki.example.com/display/OPS
  roundhouse bots sync wiki
  roundhouse bots add handbook "Отпуск 2027.docx"
  roundhouse bots ask handbook "How many days of holiday are there?"
  roundhouse bots eval handbook questions.jsonl`;

export function register(program: Command): void {
  const bots = program
    .command('bots')
    .description('Create, ask and measure bots that answer from documents')
    .addHelpText('after', examples);
  withServerOptions(bots.command('list').description('List bots'))
    .option('--json', 'print JSON')
    .action(listBots);
  withServerOptions(bots.command('show <bot>').description('Show a bot and what it is busy with'))
    .option('--json', 'print JSON')
    .action(showBot);
  withServerOptions(bots.command('documents <bot>').description('List the documents of a bot'))
    .option('--json', 'print JSON')
    .action(listDocuments);
  withCreateOptions(
    bots.command('create <bot> [paths...]').description('Create a bot from files, folders and links'),
  );
  const add = withServerOptions(
    bots
      .command('add <bot> [paths...]')
      .description('Add documents to a bot, or replace those of the same name'),
  );
  withSourceOptions(add)
    .option('--url <source>', 'a link or source descriptor; can be repeated', source)
    .option('--detach', 'return as soon as the files are uploaded')
    .option('--json', 'print JSON')
    .action((bot: string, files: string[], options: BuildOptions) => build(bot, files, options, false));
  withSourceOptions(
    withServerOptions(
      bots
        .command('preview')
        .argument('<sources...>', 'links, source descriptors as JSON, or @file with one', source)
        .description(
          'Show what links and source descriptors lead to: what would be indexed, and what not and why',
        ),
    ),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', sourceNotes)
    .action(preview);
  withServerOptions(
    bots.command('sync <bot>').description('Add, update and delete what has changed at the sources of a bot'),
  )
    .option('--every <time>', 'sync this often from now on, such as 6h; "never" ends it')
    .option('--detach', 'return at once')
    .option('--json', 'print JSON')
    .action(sync);
  withServerOptions(
    bots
      .command('sources <bot>')
      .description('List the sources of a bot and their last syncs, or remove one'),
  )
    .option('--remove <id>', 'remove this source with its documents', positiveInteger)
    .option('--keep-documents', 'with --remove: keep its documents')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(sources);
  withServerOptions(
    bots
      .command('ask <bot> [question]')
      .description('Ask a bot; without a question, have a conversation or read questions from a pipe'),
  )
    .option('--json', 'print JSON; needs a question')
    .action(ask);
  withServerOptions(
    bots
      .command('eval <bot> <questions>')
      .description(
        'Put questions with known answers to a bot (JSON lines) and measure what it finds and answers',
      ),
  )
    .option('--limit <number>', 'put only the first questions', positiveInteger)
    .option('--json', 'print JSON, with the scores of each question')
    .action(evaluate);
  withServerOptions(
    bots.command('cancel <bot> <command>').description('Cancel a command; the bot stays as it was'),
  )
    .option('--json', 'print JSON')
    .action(cancel);
  withServerOptions(
    bots.command('delete <bot> [document]').description('Delete a bot, or one of its documents'),
  )
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(remove);
}

async function preview(sources: NamedSource[], options: Options & SourceOptions): Promise<void> {
  const { previewSources } = await import('../bots/sources/preview-sources.ts');
  await previewSources(sources, options);
}

async function sync(bot: string, options: Options): Promise<void> {
  const { syncBot } = await import('../bots/sync-bot.ts');
  await syncBot(bot, options);
}

async function sources(bot: string, options: Options): Promise<void> {
  const { botSources } = await import('../bots/sources/bot-sources.ts');
  await botSources(bot, options);
}

async function ask(bot: string, question: string | undefined, options: Options): Promise<void> {
  if (options.json && question === undefined) throw new StartupError('--json needs a question');
  const { startAsking } = await import('../bots/asking/start-asking.ts');
  await startAsking(bot, question, options);
}

async function evaluate(bot: string, file: string, options: Options & { limit?: number }): Promise<void> {
  const { runEvaluation } = await import('../bots/run-evaluation.ts');
  await runEvaluation(bot, file, options);
}

async function cancel(bot: string, command: string, options: Options): Promise<void> {
  const api = await openManagement(options);
  const status = await api
    .call<CommandStatus>('DELETE', paths.command(bot, command))
    .catch((error: unknown) => {
      if (!(error instanceof Refused) || error.status !== 404) throw error;
      throw new StartupError(`${bot} has no command '${command}'; 'roundhouse bots show ${bot}' lists them`);
    });
  if (options.json) return printJson(status);
  print(`${command}: ${status.status}`);
}

async function remove(bot: string, document: string | undefined, options: Options): Promise<void> {
  const { confirm } = await import('../terminal/confirm.ts');
  const what = document === undefined ? `the bot ${bot} with all of its documents` : `${document} of ${bot}`;
  const agreed = options.yes || (await confirm(`Delete ${what}?`));
  if (agreed === undefined) throw new StartupError(`this deletes ${what}; confirm it with --yes`);
  if (!agreed) return;
  const api = await openManagement(options);
  const path = document === undefined ? paths.bot(bot) : paths.document(bot, document);
  const { command_id } = await api.call<CommandAccepted>('DELETE', path);
  const { followCommand } = await import('../bots/follow-command.ts');
  const { status, error, result } = await followCommand(api, bot, command_id);
  if (options.json) printJson({ status, error, result });
  else if (status === 'complete') {
    const { chunks = 0, files = 0 } = result?.deleted ?? {};
    print(`${what} was deleted: ${countOf(chunks, 'chunk')}, ${countOf(files, 'file')}`);
  }
  if (status === 'complete') return;
  process.exitCode = 1;
  if (!options.json) throw new StartupError(error ?? `the deletion ended as ${status}`);
}
