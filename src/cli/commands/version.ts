import type { Command } from 'commander';
import { programVersion } from '../../platform/version.ts';

export function register(program: Command): void {
  program
    .command('version')
    .description('Print the versions of Roundhouse and Node')
    .action(() => {
      process.stdout.write(
        `roundhouse ${programVersion} (node ${process.version}, ${process.platform}-${process.arch})\n`,
      );
    });
}
