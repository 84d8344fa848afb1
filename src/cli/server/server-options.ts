import type { Command } from 'commander';
import { address } from '../terminal/arguments.ts';
import type { ConfigOptions } from '../terminal/config-options.ts';

export interface ServerOptions extends ConfigOptions {
  server?: string;
  key?: string;
}

/** Adds the options shared by all commands that talk to a running platform. */
export function withServerOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'address of the platform (default: $ROUNDHOUSE_URL, else the one on this machine)',
      address,
    )
    .option('--key <key>', "API key (default: $ROUNDHOUSE_API_KEY, else the local platform's admin key)")
    .option('--data-dir <folder>', 'data folder of the local platform to use')
    .option('-c, --config <file>', 'configuration file of the local platform');
}
