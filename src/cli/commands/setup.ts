import { dirname } from 'node:path';
import type { Command } from 'commander';
import { processEnvironment } from '../../platform/config/environment.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { print } from '../terminal/print.ts';

export function register(program: Command): void {
  const setup = program
    .command('setup')
    .description('Install components that are otherwise installed on first use');

  withConfigOptions(
    setup.command('trainer').description('Install the Python packages that fine-tuning requires'),
  ).action(trainer);
  withConfigOptions(
    setup.command('layout').description('Download the models that read pages of documents as pictures'),
  ).action(layout);
}

async function layout(options: ConfigOptions): Promise<void> {
  const config = await configFrom(options);
  const { openLayoutModels } = await import('../../models/layout/open-layout-models.ts');
  const models = openLayoutModels({ config, environment: processEnvironment() });
  const present = models.find();
  await untilInterrupted(async (signal) => {
    let shown = '';
    const onProgress = ({ file, source }: { file: string; source: string }) => {
      if (file !== shown) process.stderr.write(`${file} from ${source}\n`);
      shown = file;
    };
    const { layout: path } = present ?? (await models.fetch({ signal, onProgress }));
    print(dirname(path));
  });
}

async function trainer(options: ConfigOptions): Promise<void> {
  const config = await configFrom(options);
  const { createTrainer } = await import('../../management/finetuning/open-finetuning.ts');
  await untilInterrupted(async (signal) => {
    const python = await createTrainer(config, processEnvironment()).prepare({
      signal,
      onLine: (line) => {
        if (line.event === 'stage') process.stderr.write(`${line.message}\n`);
      },
    });
    print(python);
  });
}

async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const ignore = onInterrupt(() => stop.abort());
  try {
    await work(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('stopped\n');
    process.exitCode = 130;
  } finally {
    ignore();
  }
}
