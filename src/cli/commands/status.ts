import type { Command } from 'commander';
import type { PlatformStatus } from '../../contracts/management/status.ts';
import { openManagement } from '../server/management-api.ts';
import { type ServerOptions, withServerOptions } from '../server/server-options.ts';
import { printJson } from '../terminal/print.ts';

export function register(program: Command): void {
  withServerOptions(
    program
      .command('status')
      .description('Show the running platform: address, slots, pods, jobs, bots, disk, memory, GPUs'),
  )
    .option('--json', 'print JSON')
    .action(show);
}

async function show(options: ServerOptions & { json?: boolean }): Promise<void> {
  const api = await openManagement(options);
  const status = await api.call<PlatformStatus>('GET', 'status');
  if (options.json) return printJson(status);
  const { describeStatus } = await import('../status/describe-status.ts');
  describeStatus(api.target.url, status);
}
