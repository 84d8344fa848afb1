import { z } from 'zod';
import { duration, timedDuration } from '../platform/config/fields.ts';

const launcher = z.strictObject({
  load_timeout: timedDuration()
    .default(30 * 60_000)
    .describe('How long a pod may load its model without any progress before it is restarted. 0: no limit.'),
  log_retention: duration()
    .default(7 * 86_400_000)
    .describe('How long the logs of pods that are gone are kept; checked at each start.'),
  probe_failures: z
    .int()
    .min(0)
    .default(6)
    .describe('Consecutive health requests that a pod may miss before it is restarted. 0: no probing.'),
  probe_interval: timedDuration().default(10_000).describe('Pause between two health requests to a pod.'),
  probe_timeout: timedDuration()
    .default(30_000)
    .describe('How long a pod may take to answer a health request, whatever it is computing.'),
});

export const launcherSettings = { launcher: launcher.prefault({}) };

const LauncherSettings = z.object(launcherSettings);
export type LauncherSettings = z.output<typeof LauncherSettings>;
