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

/** What a running platform has, gets and drops. */
export function registerLibrary(models: Command): void {
  withConfigOptions(models.command('list').description('List the models that the platform has'))
    .option('--json', 'print JSON')
    .action(list);
  withConfigOptions(
    models
      .command('add <id>')
      .description('Bring a model here: org/name[@revision][:quantisation], or a starter'),
  )
    .option('--wait', 'stay until it is here, with a progress bar')
    .option('--allow-pickle', 'take weights that are there only as pickle files, which can run code')
    .option('--json', 'print the job as JSON')
    .action(add);
  withConfigOptions(
    models.command('import <folder>').description('Bring a model here from a folder, with no hub in reach'),
  )
    .option('--id <id>', 'what to call it (default: the name of the folder)')
    .option('--wait', 'stay until it is here, with a progress bar')
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
  if (models.length === 0) return print("none yet; 'roundhouse models add <id>' brings one");
  for (const { model_id, adapter, base_model_id, facts = {} } of models) {
    const what = adapter
      ? `adapter of ${base_model_id ?? '?'}`
      : [facts.task, facts.architecture].filter(Boolean).join(' ');
    const size = facts.size_bytes ? `${Math.round(facts.size_bytes / 1e6)} MB` : '';
    const served = facts.engines?.length
      ? facts.engines.join(', ')
      : `not served: ${facts.reason ?? 'unknown'}`;
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
  print(options.json ? JSON.stringify(model, null, 2) : `${id} is removed`);
}
