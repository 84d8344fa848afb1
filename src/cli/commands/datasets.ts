import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Dataset, DatasetPreview } from '../../contracts/management/datasets.ts';
import { openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { size } from '../terminal/amounts.ts';
import { hintNext } from '../terminal/hint.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

interface Options extends ServerOptions {
  json?: boolean;
  description?: string;
  model?: string;
}

export function register(program: Command): void {
  const datasets = program.command('datasets').description('Manage data sets of conversations');
  withServerOptions(datasets.command('list').description('List data sets'))
    .option('--json', 'print JSON')
    .action(list);
  withServerOptions(
    datasets.command('upload <file>').description('Upload a data set with one JSON object per line'),
  )
    .option('--description <text>', 'description of the data set')
    .option('--json', 'print JSON')
    .action(upload);
  withServerOptions(
    datasets.command('show <id>').description('Show the first conversations of a data set and its size'),
  )
    .option('--model <id>', "count tokens with this model's tokenizer")
    .option('--json', 'print JSON')
    .action(show);
  withServerOptions(datasets.command('delete <id>').description('Delete a data set'))
    .option('--json', 'print JSON')
    .action(remove);
}

async function list(options: Options): Promise<void> {
  const found = await (await openManagement(options)).call<Dataset[]>('GET', 'datasets/');
  if (options.json) return printJson(found);
  if (found.length === 0)
    return print("no data sets yet; upload one with 'roundhouse datasets upload <file>'");
  print(datasetTable(found));
}

async function upload(file: string, options: Options): Promise<void> {
  const { checkFile } = await import('../finetune/check-file.ts');
  const api = await openManagement(options);
  await checkFile(resolve(file));
  const query = options.description ? `?${new URLSearchParams({ description: options.description })}` : '';
  const dataset = await api.upload<Dataset>(`datasets/upload/${query}`, resolve(file));
  if (options.json) return printJson(dataset);
  print(datasetTable([dataset]));
  hintNext(`finetune run ${dataset.id} --name <adapter>`);
}

async function show(id: string, options: Options): Promise<void> {
  const query = options.model ? `?${new URLSearchParams({ model_id: options.model })}` : '';
  const path = `datasets/${encodeURIComponent(id)}/preview/${query}`;
  const preview = await (await openManagement(options)).call<DatasetPreview>('GET', path);
  if (options.json) return printJson(preview);
  for (const { messages } of preview.examples) {
    for (const { role, content } of messages) print(`${role}: ${content}`);
    print('');
  }
  print(`${preview.count} conversations`);
  const { tokens } = preview;
  if (tokens)
    print(`${tokens.total} tokens; ${tokens.min} to ${tokens.max} per conversation, median ${tokens.median}`);
}

async function remove(id: string, options: Options): Promise<void> {
  const dataset = await (await openManagement(options)).call<Dataset>(
    'DELETE',
    `datasets/${encodeURIComponent(id)}/`,
  );
  print(options.json ? JSON.stringify(dataset, null, 2) : `${dataset.name} (${dataset.id}) was deleted`);
}

const datasetTable = (datasets: Dataset[]) =>
  table(
    ['ID', 'CONVERSATIONS', 'SIZE', 'NAME', 'DESCRIPTION'],
    datasets.map(({ id, name, examples = 0, bytes = 0, description }) => [
      id,
      String(examples),
      size(bytes),
      name,
      description ?? '',
    ]),
  );
