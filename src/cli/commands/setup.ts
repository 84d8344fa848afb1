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
}

async function trainer(options: ConfigOptions): Promise<void> {
  const config = await configFrom(options);
  const { createTrainer } = await import('../../management/finetuning/open-finetuning.ts');
  const stop = new AbortController();
  const ignore = onInterrupt(() => stop.abort());
  try {
    const python = await createTrainer(config, processEnvironment()).prepare({
      signal: stop.signal,
      onLine: (line) => {
        if (line.event === 'stage') process.stderr.write(`${line.message}\n`);
      },
    });
    print(python);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('stopped\n');
    process.exitCode = 130;
  } finally {
    ignore();
  }
}
