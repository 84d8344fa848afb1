import type { Command } from 'commander';
import type { BotRecord, BotRecords } from '../../contracts/document-index/bots.ts';
import type { CommandAccepted, CommandList, CommandStatus } from '../../contracts/document-index/commands.ts';
import type { DocumentStatuses } from '../../contracts/document-index/documents.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { BuildOptions } from '../bots/build-bot.ts';
import { paths } from '../bots/index-paths.ts';
import { source } from '../bots/source-option.ts';
import { openManagement, Refused } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { size } from '../terminal/amounts.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface Options extends ServerOptions {
  json?: boolean;
  yes?: boolean;
}

const examples = `
Examples:
  roundhouse bots create handbook ./documents --user-story "New colleagues ask about our rules"
  roundhouse bots create wiki --url https://example.com/handbook.pdf
  roundhouse bots add handbook "Отпуск 2027.docx"
  roundhouse bots ask handbook "How many days of holiday are there?"
  roundhouse bots eval handbook questions.jsonl`;

const createNotes = `
Folders are read with everything below them, except hidden files. The exit code is 0 only if every document was
indexed. If the bot exists, the documents are added to it; --replace rebuilds it from these alone.`;

export function register(program: Command): void {
  const bots = program
    .command('bots')
    .description('Create, ask and measure bots that answer from documents')
    .addHelpText('after', examples);
  withServerOptions(bots.command('list').description('List bots'))
    .option('--json', 'print JSON')
    .action(list);
  withServerOptions(bots.command('show <bot>').description('Show a bot and what it is busy with'))
    .option('--json', 'print JSON')
    .action(show);
  withServerOptions(bots.command('documents <bot>').description('List the documents of a bot'))
    .option('--json', 'print JSON')
    .action(documents);
  withCreateOptions(
    bots.command('create <bot> [paths...]').description('Create a bot from files, folders and links'),
  );
  withServerOptions(
    bots
      .command('add <bot> [paths...]')
      .description('Add documents to a bot, or replace those of the same name'),
  )
    .option('--url <source>', 'a link or source descriptor; can be repeated', source, [])
    .option('--detach', 'return as soon as the files are uploaded')
    .option('--json', 'print JSON')
    .action((bot: string, files: string[], options: BuildOptions) => build(bot, files, options, false));
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

/** `roundhouse create-bot`, the counterpart of `create_bot.py`. */
export function registerCreateBot(program: Command): void {
  withCreateOptions(
    program.command('create-bot <bot> [paths...]').description('Create a bot; the same as bots create'),
  );
}

function withCreateOptions(command: Command): void {
  withServerOptions(command)
    .option(
      '--url <source>',
      'a link, a source descriptor as JSON, or @file with one; can be repeated',
      source,
      [],
    )
    .option('--user-story <text>', 'who uses the bot, and what matters in its answers')
    .option('--sync', 'index before commands that are not urgent')
    .option('--at <time>', 'index no earlier than this, such as "2027-01-31 02:30"')
    .option('--replace', 'rebuild a bot that exists from these documents alone')
    .option('--detach', 'return as soon as the files are uploaded')
    .option('--json', 'print JSON')
    .addHelpText('after', createNotes)
    .action((bot: string, files: string[], options: BuildOptions) => build(bot, files, options, true));
}

async function build(bot: string, files: string[], options: BuildOptions, create: boolean): Promise<void> {
  const { buildBot } = await import('../bots/build-bot.ts');
  await buildBot(bot, files, options, { create });
}

async function list(options: Options): Promise<void> {
  const found = await (await openManagement(options)).call<BotRecords>('GET', paths.bots);
  if (options.json) return printJson(found);
  const records = Object.values(found);
  if (records.length === 0)
    return print("no bots yet; create one with 'roundhouse bots create <bot> <folder>'");
  print(
    table(
      ['BOT', 'DOCUMENTS', 'CREATED BY', 'ABOUT'],
      records.map(({ name, files, bot_creator_credentials, user_story }) => [
        name,
        String(files.length),
        bot_creator_credentials,
        user_story.slice(0, 60),
      ]),
    ),
  );
}

async function show(bot: string, options: Options): Promise<void> {
  const api = await openManagement(options);
  const record = await api.call<BotRecord>('GET', paths.bot(bot));
  const commands = await api.call<CommandList>('GET', paths.commands(bot));
  if (options.json) return printJson({ ...record, commands });
  const { user_story, retrive_n, support_n, files, example_questions } = record;
  print(`${record.name}: ${files.length} documents`);
  if (user_story !== '') print(`about: ${user_story}`);
  print(`${retrive_n} candidates are retrieved, ${support_n} passages given to the model`);
  for (const question of example_questions) print(`example: ${question}`);
  const rows = Object.entries(commands).map(([id, { type, status, error }]) => [
    id,
    type,
    status,
    error ?? '',
  ]);
  if (rows.length > 0) print(`\n${table(['COMMAND', 'TYPE', 'STATUS', 'ERROR'], rows)}`);
}

async function documents(bot: string, options: Options): Promise<void> {
  const found = await documentsOf(bot, options);
  if (options.json) return printJson(found);
  if (found.length === 0) return print(`${bot} has no documents`);
  print(
    table(
      ['DOCUMENT', 'STATUS', 'PAGES', 'CHUNKS', 'SIZE', 'ERROR'],
      found.map(({ name, status, pages, chunks, bytes, error }) => [
        name,
        status,
        String(pages ?? '–'),
        String(chunks ?? '–'),
        bytes === null ? '–' : size(bytes),
        error ?? '',
      ]),
    ),
  );
}

/** The index answers 404 for a bot without documents, too. */
async function documentsOf(bot: string, options: Options): Promise<DocumentStatuses> {
  const api = await openManagement(options);
  try {
    return await api.call<DocumentStatuses>('GET', paths.documents(bot));
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    await api.call<BotRecord>('GET', paths.bot(bot));
    return [];
  }
}

async function ask(bot: string, question: string | undefined, options: Options): Promise<void> {
  if (options.json && question === undefined) throw new StartupError('--json needs a question');
  const { startAsking } = await import('../bots/start-asking.ts');
  await startAsking(bot, question, options);
}

async function evaluate(bot: string, file: string, options: Options & { limit?: number }): Promise<void> {
  const { runEvaluation } = await import('../bots/run-evaluation.ts');
  await runEvaluation(bot, file, options);
}

async function cancel(bot: string, command: string, options: Options): Promise<void> {
  const api = await openManagement(options);
  const status = await api.call<CommandStatus>('DELETE', paths.command(bot, command));
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
    print(`${what} was deleted: ${chunks} chunks, ${files} files`);
  }
  if (status === 'complete') return;
  process.exitCode = 1;
  if (!options.json) throw new StartupError(error ?? `the deletion ended as ${status}`);
}
