import { join } from 'node:path';
import type { Foundation } from '../platform/parts/part.ts';
import { type PodSettings, podEnvironment } from './pod-environment.ts';
import { ProcessLauncher } from './process/process-launcher.ts';
import type { LauncherSettings } from './settings.ts';

type LauncherConfig = Pick<PodSettings, 'hub'> & LauncherSettings & { dispatcher: { url: string } };

/** Runs pods for the dispatcher and for deployments. `dispatcherHere`: pods report to this process. */
export function openLauncher(
  { config, environment, ownKey, address }: Foundation<LauncherConfig>,
  { dispatcherHere }: { dispatcherHere: boolean },
): ProcessLauncher {
  const { probe_failures, probe_interval, probe_timeout } = config.launcher;
  return new ProcessLauncher({
    data_dir: config.data_dir,
    main: join(import.meta.dirname, '..', 'cli', 'main.ts'),
    dispatcher: () => (dispatcherHere ? address() : config.dispatcher.url),
    environment: podEnvironment(config, environment, ownKey),
    machine: config.machine,
    logRetention: config.launcher.log_retention,
    probe: { failures: probe_failures, interval: probe_interval, timeout: probe_timeout },
  });
}
