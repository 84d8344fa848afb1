import type { Command } from 'commander';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { print } from '../terminal/print.ts';

export function register(program: Command): void {
  const config = program.command('config').description('Look at the configuration');

  withConfigOptions(config.command('check').description('Say whether the configuration is sound')).action(
    async (options: ConfigOptions) => {
      await configFrom(options);
      print('the configuration is sound');
    },
  );

  withConfigOptions(
    config.command('print').description('Print the settings in force, with secrets masked'),
  ).action(async (options: ConfigOptions) => {
    const { printConfig } = await import('../../settings.ts');
    print(printConfig(await configFrom(options)).trimEnd());
  });
}
