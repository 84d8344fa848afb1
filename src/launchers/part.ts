import { join } from 'node:path';
import type { Foundation } from '../platform/parts/part.ts';
import { type PodSettings, podEnvironment } from './pod-environment.ts';
import { ProcessLauncher } from './process/process-launcher.ts';

type LauncherConfig = Pick<PodSettings, 'hub'> & { dispatcher: { url: string } };

/** Runs pods for the dispatcher and for deployments. `dispatcherHere`: pods report to this process. */
export function openLauncher(
  { config, environment, ownKey, address }: Foundation<LauncherConfig>,
  { dispatcherHere }: { dispatcherHere: boolean },
): ProcessLauncher {
  return new ProcessLauncher({
    data_dir: config.data_dir,
    main: join(import.meta.dirname, '..', 'cli', 'main.ts'),
    dispatcher: () => (dispatcherHere ? address() : config.dispatcher.url),
    environment: podEnvironment(config, environment, ownKey),
  });
}
