import { setTimeout as sleep } from 'node:timers/promises';
import { syncBotsInfo } from '../bots/bots-info.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { requestDueSyncs } from '../syncing/request-syncs.ts';
import { requestCleanUps, sweepBlobs } from './clean-up.ts';
import { requestReembeddings } from './reembed-bots.ts';

const longestPause = 60_000;

/**
 * Puts in order what earlier processes left, and requests what is missing. A vector store or database that is away
 * is waited for. Never rejects.
 */
export async function recover(
  deps: RunningDependencies,
  { openedAt, signal }: { openedAt: number; signal: AbortSignal },
): Promise<void> {
  const steps = [
    () => requestCleanUps(deps),
    () => sweepBlobs(deps, openedAt),
    () => syncBotsInfo(deps),
    () => requestReembeddings(deps, signal),
    () => requestDueSyncs(deps, signal),
  ];
  for (const step of steps) {
    for (let pause = 1_000; !signal.aborted; pause = Math.min(longestPause, 2 * pause)) {
      try {
        await step();
        break;
      } catch (error) {
        if (signal.aborted) return;
        deps.logger.warn({ err: error }, 'the document index could not be checked; it will be tried again');
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
