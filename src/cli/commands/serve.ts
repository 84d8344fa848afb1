import { type Command, Option } from 'commander';
import { StartupError } from '../../platform/startup-error.ts';
import { ignoreLostOutput } from '../../platform/telemetry/log-output.ts';
import type { PartName, Platform } from '../../server.ts';
import { forgetAddress, rememberAddress } from '../server/server-address.ts';
import { releaseStartupMemory } from '../serving/startup-memory.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';

interface ServeOptions extends ConfigOptions {
  only?: string[];
}

export function register(program: Command): void {
  withConfigOptions(program.command('serve').description('Run the platform or some of its parts'))
    .addOption(
      new Option(
        '--only <parts>',
        'comma-separated parts to run: dispatcher, management, hosted, index, chatbot, console',
      ).argParser((text) => text.split(',').map((name) => name.trim())),
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const started = performance.now();
  ignoreLostOutput();
  const config = await configFrom(options);
  const { buildPlatform, partNames } = await import('../../server.ts');
  const only = options.only?.map((name) => {
    if ((partNames as readonly string[]).includes(name)) return name as PartName;
    throw new StartupError(`unknown part "${name}": choose from ${partNames.join(', ')}`);
  });
  const platform = await buildPlatform(config, only);
  stopOnSignal(platform, config.data_dir);
  try {
    const address = await platform.start();
    rememberAddress(config.data_dir, address);
    greet(address, platform, config.auth.open, (performance.now() - started) / 1000);
    releaseStartupMemory();
    const { configured, file } = platform.adminKey;
    const key = configured ? '$ROUNDHOUSE_ADMIN_TOKEN' : `$(cat ${file})`;
    const { announceStarters } = await import('../serving/announce-starters.ts');
    await platform.bringUpStarters(
      announceStarters(address, config.auth.open ? undefined : key, process.stderr),
    );
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

/** The first signal drains; a second one exits immediately. */
function stopOnSignal(platform: Platform, dataDir: string): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    platform.logger.info({ signal }, 'stopping: running requests may finish, new ones are refused');
    forgetAddress(dataDir);
    await platform.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function greet(address: string, { adminKey }: Platform, open: boolean, seconds: number): void {
  const lines = [
    '',
    `  Roundhouse is ready (${seconds.toFixed(1)} s)`,
    '',
    `  Open            ${address}/`,
    `  API references  ${address}/docs  ${address}/api/docs/`,
    `  Admin key       ${describeAdminKey(adminKey)}`,
    ...(open
      ? ['', '  Callers on this machine need no key for the dispatcher and the management API (auth.open).']
      : []),
    '',
    '  Press Ctrl+C to stop.',
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

function describeAdminKey({ generated, configured, file }: Platform['adminKey']): string {
  if (generated) return `${generated}  (shown only this once; stored in ${file})`;
  return configured ? 'as configured (admin_token)' : `in ${file}`;
}
