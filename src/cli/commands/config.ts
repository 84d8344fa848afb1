import type { Command } from 'commander';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { print } from '../terminal/print.ts';

export function register(program: Command): void {
  const config = program.command('config').description('Check and print the configuration');

  withConfigOptions(config.command('check').description('Check whether the configuration is valid')).action(
    async (options: ConfigOptions) => {
      await configFrom(options);
      print('the configuration is valid');
    },
  );

  withConfigOptions(
    config.command('print').description('Print the effective configuration, with secrets masked'),
  ).action(async (options: ConfigOptions) => {
    const { printConfig } = await import('../../settings.ts');
    print(printConfig(await configFrom(options)).trimEnd());
  });
}
