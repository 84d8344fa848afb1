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

/** Adds the options shared by all commands that read the configuration. */
export function withConfigOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: roundhouse.yaml, if it exists)')
    .option('--data-dir <folder>', 'folder for persistent data')
    .option('--host <address>', 'address of the platform')
    .option('--port <number>', 'port of the platform')
    .option('--set <key=value...>', 'override any setting, such as http.body_limit=64MiB');
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
        throw new StartupError(`--set expects key=value, such as http.body_limit=64MiB; got "${setting}"`);
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}
