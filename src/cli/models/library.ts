import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Job } from '../../contracts/management/jobs.ts';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { reportJob } from '../jobs/report-job.ts';
import { openManagement } from '../server/management-api.ts';
import { type ConfigOptions, withConfigOptions } from '../terminal/config-options.ts';
import { print, printJson } from '../terminal/print.ts';

interface JobOptions extends ConfigOptions {
  wait?: boolean;
  json?: boolean;
  allowPickle?: boolean;
  id?: string;
}

/** Commands for the model library of a running platform. */
export function registerLibrary(models: Command): void {
  withConfigOptions(models.command('list').description("List the models in the platform's library"))
    .option('--json', 'print JSON')
    .action(list);
  withConfigOptions(
    models
      .command('add <id>')
      .description('Download a model from the hub (org/name[@revision][:quantisation]) or a starter model'),
  )
    .option('--wait', 'wait until the download is complete and show its progress')
    .option('--allow-pickle', 'accept pickle weights if there are no others; pickle files can run code')
    .option('--json', 'print the job as JSON')
    .action(add);
  withConfigOptions(
    models.command('import <folder>').description('Import a model from a folder, without a hub'),
  )
    .option('--id <id>', 'id of the model (default: the folder name)')
    .option('--wait', 'wait until the import is complete and show its progress')
    .option('--json', 'print the job as JSON')
    .action(importFolder);
  withConfigOptions(models.command('remove <id>').description('Delete a model and free its disk space'))
    .option('--json', 'print JSON')
    .action(remove);
}

async function list(options: ConfigOptions & { json?: boolean }): Promise<void> {
  const api = await openManagement(options);
  const models = await api.call<ModelEntry[]>('GET', 'models/');
  if (options.json) return printJson(models);
  if (models.length === 0) return print("no models yet; add one with 'roundhouse models add <id>'");
  for (const { model_id, adapter, base_model_id, facts = {} } of models) {
    const what = adapter
      ? `adapter of ${base_model_id ?? '?'}`
      : [facts.task, facts.architecture].filter(Boolean).join(' ');
    const size = facts.size_bytes ? `${Math.round(facts.size_bytes / 1e6)} MB` : '';
    const served = facts.engines?.length
      ? facts.engines.join(', ')
      : `can't be served: ${facts.reason ?? 'unknown'}`;
    print(
      `${model_id.padEnd(40)} ${what.padEnd(24)} ${(facts.quantization ?? '').padEnd(8)}${size.padStart(9)}  ${served}`,
    );
  }
}

async function add(id: string, options: JobOptions): Promise<void> {
  const api = await openManagement(options);
  const query = new URLSearchParams({
    model_id: id,
    ...(options.allowPickle ? { allow_pickle: 'true' } : {}),
  });
  await reportJob(api, await api.call<Job>('POST', `models/add/?${query}`), options);
}

async function importFolder(folder: string, options: JobOptions): Promise<void> {
  const api = await openManagement(options);
  const path = resolve(folder);
  const body = { model_id: options.id ?? basename(path), folder: path };
  await reportJob(api, await api.call<Job>('POST', 'models/import/', body), options);
}

async function remove(id: string, options: ConfigOptions & { json?: boolean }): Promise<void> {
  const api = await openManagement(options);
  const model = await api.call<ModelEntry>('DELETE', `models/${encodeURIComponent(id)}`);
  print(options.json ? JSON.stringify(model, null, 2) : `${id} was removed`);
}
