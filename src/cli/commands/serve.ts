import { type Command, Option } from 'commander';
import type { PartName } from '../../parts.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { ignoreLostOutput } from '../../platform/telemetry/log-output.ts';
import type { Platform } from '../../server.ts';
import type { Config } from '../../settings.ts';
import { announcePlatform, withdrawPlatform } from '../server/running-platforms.ts';
import { forgetAddress, readAddress, rememberAddress } from '../server/server-address.ts';
import { explainRunning } from '../serving/already-running.ts';
import { greet } from '../serving/greet.ts';
import { adminKeyInShell, hasPart } from '../serving/greeting.ts';
import { releaseStartupMemory } from '../serving/startup-memory.ts';
import { type ConfigOptions, configFrom, withConfigOptions } from '../terminal/config-options.ts';
import { onInterrupt } from '../terminal/interrupts.ts';

interface ServeOptions extends ConfigOptions {
  only?: string[];
}

export function register(program: Command): void {
  withConfigOptions(program.command('serve').description('Run the platform or some of its parts'))
    .addOption(
      new Option(
        '--only <parts>',
        'comma-separated parts to run (default: all): dispatcher (inference and pods: /v1, /pods-info), management (models, deployments, keys: /api, /inference), hosted (/hosted), index (document index: /indexapi), chatbot (/v.1.0, /agent, /documents), console (the web page: /)',
      ).argParser((text) => text.split(',').map((name) => name.trim())),
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const started = performance.now();
  ignoreLostOutput();
  const config = await configFrom(options);
  const { partNames } = await import('../../parts.ts');
  const { buildPlatform } = await import('../../server.ts');
  const only = [...new Set(options.only)].map((name) => {
    if ((partNames as readonly string[]).includes(name)) return name as PartName;
    throw new StartupError(`unknown part "${name}": choose from ${partNames.join(', ')}`);
  });
  const platform = await buildPlatform(config, only.length > 0 ? only : undefined).catch((error: unknown) => {
    throw explainRunning(error, config.data_dir);
  });
  // A platform that was killed may have left its own.
  if (config.database.url.startsWith('sqlite:')) forgetAddress(config.data_dir);
  let local = '';
  stopOnSignal(platform, () => {
    if (readAddress(config.data_dir) !== local) return;
    withdrawPlatform(config.data_dir);
    forgetAddress(config.data_dir);
  });
  try {
    local = await platform.start();
    if (isForCommands(platform, config)) {
      rememberAddress(config.data_dir, local);
      announcePlatform(config.data_dir, only.length > 0 ? only : partNames);
    }
    const seconds = (performance.now() - started) / 1000;
    const dispatcher = await platform.remoteDispatcher();
    const address = greet({ platform, config, local, seconds, dispatcher });
    releaseStartupMemory();
    const { announceStarters } = await import('../serving/announce-starters.ts');
    await platform.bringUpStarters(
      announceStarters(
        {
          // Without the dispatcher's own paths, the models are served below the management API.
          inference: `${address}${hasPart(platform.served, 'dispatcher') ? '' : '/api'}/v1`,
          page: hasPart(platform.served, 'console') ? `${address}/` : undefined,
          key: config.auth.open ? undefined : adminKeyInShell(platform.adminKey),
        },
        process.stderr,
      ),
    );
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

/** Whether commands should find this process. Another one on a shared database may serve the management API. */
function isForCommands(platform: Platform, { data_dir, database }: Config): boolean {
  if (hasPart(platform.served, 'management') || database.url.startsWith('sqlite:')) return true;
  return readAddress(data_dir) === undefined;
}

/** The first signal drains; a second one exits immediately. */
function stopOnSignal(platform: Platform, onStop: () => void): void {
  const stop = async (signal: NodeJS.Signals) => {
    platform.logger.info({ signal }, 'stopping: running requests may finish, new ones are refused');
    onStop();
    await platform.stop();
    process.exit(0);
  };
  onInterrupt((signal) => void stop(signal));
}
