import type { Command } from 'commander';
import { type ConfigOptions, configFrom, withConfigOptions } from './config-options.ts';

export function register(program: Command): void {
  const config = program.command('config').description('Look at the configuration');

  withConfigOptions(config.command('check').description('Say whether the configuration is sound')).action(
    async (options: ConfigOptions) => {
      await configFrom(options);
      process.stdout.write('the configuration is sound\n');
    },
  );

  withConfigOptions(
    config.command('print').description('Print the settings in force, with secrets masked'),
  ).action(async (options: ConfigOptions) => {
    const { printConfig } = await import('../platform/config/print-config.ts');
    process.stdout.write(printConfig(await configFrom(options)));
  });
}
