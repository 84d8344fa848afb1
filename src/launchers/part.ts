import { join } from 'node:path';
import type { Foundation } from '../platform/parts/part.ts';
import { PodCredentials } from './pod-credentials.ts';
import { type PodSettings, podEnvironment } from './pod-environment.ts';
import { ProcessLauncher } from './process/process-launcher.ts';
import type { LauncherSettings } from './settings.ts';

type LauncherConfig = Pick<PodSettings, 'hub'> &
  LauncherSettings & {
    dispatcher: { url: string };
    pod: { key?: string | undefined };
  };

/** Runs pods for the dispatcher and for deployments. `dispatcherHere`: pods report to this process. */
export function openLauncher(
  foundation: Foundation<LauncherConfig>,
  { dispatcherHere }: { dispatcherHere: boolean },
): ProcessLauncher {
  const { config, environment, database, logger, address } = foundation;
  // A dispatcher in another process knows the keys that are made here only if it shares the database.
  const shared = dispatcherHere || !database.exclusive;
  if (!shared && config.pod.key === undefined) {
    logger.warn('set pod.key to a key with the scope pods, or pods may not be allowed to report');
  }
  const credentials = new PodCredentials({
    ...foundation,
    configuredKey: shared ? undefined : config.pod.key,
  });
  if (database.exclusive) credentials.forgetEarlier();
  const { probe_failures, probe_interval, probe_timeout } = config.launcher;
  return new ProcessLauncher({
    data_dir: config.data_dir,
    main: join(import.meta.dirname, '..', 'cli', 'main.ts'),
    dispatcher: () => (dispatcherHere ? address() : config.dispatcher.url),
    environment: podEnvironment(config, environment),
    credentials,
    machine: config.machine,
    logRetention: config.launcher.log_retention,
    loadTimeout: config.launcher.load_timeout,
    probe: { failures: probe_failures, interval: probe_interval, timeout: probe_timeout },
  });
}
