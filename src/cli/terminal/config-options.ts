import type { Command } from 'commander';
import { processEnvironment } from '../../platform/config/environment.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { Config } from '../../settings.ts';

export interface ConfigOptions {
  config?: string;
  dataDir?: string;
  host?: string;
  port?: string;
  set?: string[];
}

/** Gives a command the options that every command with a configuration has. */
export function withConfigOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: roundhouse.yaml, where there is one)')
    .option('--data-dir <folder>', 'folder for everything that must outlive a restart')
    .option('--host <address>', 'address of the platform')
    .option('--port <number>', 'port of the platform')
    .option('--set <key=value...>', 'any other setting, such as --set http.body_limit=64MiB');
}

export async function configFrom(options: ConfigOptions): Promise<Config> {
  const { loadConfig } = await import('../../settings.ts');
  return loadConfig({
    environment: processEnvironment(),
    workingDirectory: process.cwd(),
    file: options.config,
    flags: { ...pairs(options.set ?? []), data_dir: options.dataDir, host: options.host, port: options.port },
  });
}

function pairs(settings: string[]): Record<string, string> {
  return Object.fromEntries(
    settings.map((setting) => {
      const at = setting.indexOf('=');
      if (at < 1)
        throw new StartupError(`--set takes key=value, such as http.body_limit=64MiB; got "${setting}"`);
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}
