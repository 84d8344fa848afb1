import { type Command, Option } from 'commander';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { catalogTable } from '../models/catalog-table.ts';
import { registerLibrary } from '../models/library.ts';
import { openManagement, PlatformUnreachable } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { hintNext } from '../terminal/hint.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { print, printJson } from '../terminal/print.ts';

export function register(program: Command): void {
  const models = program.command('models').description('Search, download and manage models');
  registerLibrary(models);

  withServerOptions(
    models.command('catalog').description('List the models of the catalog, with their size and memory'),
  )
    .addOption(
      new Option('--task <task>', 'only models for this task').choices(['llm', 'embeddings', 'rerank']),
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
  const { readCatalogs } = await import('../../models/catalog/catalog.ts');
  const store = new ModelStore(config.data_dir);
  return { config, store, ...readCatalogs() };
}

async function catalog(options: ServerOptions & { task?: string; json?: boolean }): Promise<void> {
  const { config, store, catalog, hubModels } = await open(options);
  const { listCatalog } = await import('../../models/catalog/list-catalog.ts');
  const { findCachedModel, hubHome } = await import('../../models/hub/find-cached.ts');
  const library = await libraryOf(options);
  const home = hubHome(config.hub.home, processEnvironment());
  const isHere = (id: string) =>
    library?.includes(id) ?? (store.find(id) !== undefined || findCachedModel(home, id) !== undefined);
  const rows = listCatalog({ catalog, hubModels, isHere }).filter(
    ({ task }) => options.task === undefined || task === options.task,
  );
  if (options.json) return printJson(rows);
  print(catalogTable(rows));
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
  const { config, store, catalog, hubModels } = await open(options);
  if (hubModels.some((model) => model.id === id)) {
    throw new StartupError(
      `'${id}' comes from the hub; start the platform and run 'roundhouse models add ${id}'`,
    );
  }
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
