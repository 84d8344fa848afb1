import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Job } from '../../contracts/management/jobs.ts';
import type { FoundModels, ModelEntry } from '../../contracts/management/models.ts';
import { reportJob } from '../jobs/report-job.ts';
import { openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { hintNext, quoted } from '../terminal/hint.ts';
import { print, printJson, tell } from '../terminal/print.ts';
import { foundTable, libraryTable } from './model-rows.ts';

interface Options extends ServerOptions {
  json?: boolean;
}

interface JobOptions extends Options {
  wait?: boolean;
  allowPickle?: boolean;
  id?: string;
}

/** Commands for the model library of a running platform. */
export function registerLibrary(models: Command): void {
  withServerOptions(models.command('list').description("List the models in the platform's library"))
    .option('--json', 'print JSON')
    .action(list);
  withServerOptions(
    models
      .command('search <words...>')
      .description('Search the catalog and, where it can be reached, the model hub'),
  )
    .option('--limit <number>', 'maximum number of models of the hub', positiveInteger, 20)
    .option('--json', 'print JSON')
    .action(search);
  withServerOptions(
    models
      .command('add <id>')
      .description('Download a model from the hub (org/name[@revision][:quantisation]) or a starter model'),
  )
    .option('--wait', 'wait until the download is complete and show its progress')
    .option('--allow-pickle', 'accept pickle weights if there are no others; pickle files can run code')
    .option('--json', 'print the job as JSON')
    .action(add);
  withServerOptions(
    models.command('import <folder>').description('Import a model from a folder, without a hub'),
  )
    .option('--id <id>', 'id of the model (default: the folder name)')
    .option('--wait', 'wait until the import is complete and show its progress')
    .option('--json', 'print the job as JSON')
    .action(importFolder);
  withServerOptions(models.command('remove <id>').description('Delete a model and free its disk space'))
    .option('--with-adapters', 'also delete the adapters that were made for it')
    .option('--json', 'print JSON')
    .action(async (id: string, options: Options & { withAdapters?: boolean }) => {
      const { removeModel } = await import('./remove-model.ts');
      const model = await removeModel(await openManagement(options), id, options.withAdapters === true);
      if (options.json) return printJson(model);
      print(`${id} was removed`);
    });
}

async function list(options: Options): Promise<void> {
  const models = await (await openManagement(options)).call<ModelEntry[]>('GET', 'models/');
  if (options.json) return printJson(models);
  if (models.length > 0) return print(libraryTable(models));
  print('no models yet');
  hintNext('models catalog', 'models search <words>', 'models add <id> --wait');
}

async function search(words: string[], options: Options & { limit: number }): Promise<void> {
  const query = new URLSearchParams({ query: words.join(' '), limit: String(options.limit) });
  const found = await (await openManagement(options)).call<FoundModels>('GET', `models/search?${query}`);
  if (options.json) return printJson(found);
  if (found.hub_error) {
    tell(`the hub could not be searched: ${found.hub_error}; these are from the catalog`);
  }
  if (found.models.length === 0) return print(`nothing found for '${words.join(' ')}'`);
  print(foundTable(found.models));
  hintNext('run <id>', 'models add <id> --wait');
}

async function add(id: string, options: JobOptions): Promise<void> {
  const api = await openManagement(options);
  const query = new URLSearchParams({
    model_id: id,
    ...(options.allowPickle ? { allow_pickle: 'true' } : {}),
  });
  const job = await api.call<Job>('POST', `models/add/?${query}`);
  await reportJob(api, job, options, [`run ${quoted(id)}`]);
}

async function importFolder(folder: string, options: JobOptions): Promise<void> {
  const api = await openManagement(options);
  const path = resolve(folder);
  const id = options.id ?? basename(path);
  const job = await api.call<Job>('POST', 'models/import/', { model_id: id, folder: path });
  await reportJob(api, job, options, [`run ${quoted(id)}`]);
}
