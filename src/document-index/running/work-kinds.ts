import { OutOfSpace, Unavailable } from '../../contracts/problems.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import type { WorkKind } from '../../platform/queue/work-kind.ts';
import {
  commandKinds,
  type IndexingPayload,
  indexingKind,
  reembedKind,
  removalKind,
} from '../command-work.ts';
import { keepEnded } from '../commands/read-commands.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { noteResult } from '../records/sources-store.ts';
import { requestCleanUp } from './clean-up.ts';
import { reembedWork } from './reembed-bots.ts';
import { runIndexing } from './run-indexing.ts';
import { runRemoval } from './run-removal.ts';

const parallelRemovals = 2;
/** A bot is worth many restarts; one that takes its process down each time is given up in the end. */
const attempts = 30;

/** The work of the index, by kind. */
export function workKinds(deps: RunningDependencies): Record<string, WorkKind> {
  const usual = { afterCrash: 'resume', attempts, keepEnded, retryAfter } as const;
  const indexing: WorkKind<IndexingPayload> = {
    ...usual,
    concurrency: deps.settings.parallel_commands,
    run: (context) => runIndexing(deps, context),
  };
  const removal: WorkKind<never> = {
    ...usual,
    concurrency: parallelRemovals,
    run: (context) => runRemoval(deps, context),
  };
  return {
    [indexingKind]: indexing as WorkKind,
    [removalKind]: removal as WorkKind,
    [reembedKind]: reembedWork(deps) as WorkKind,
  };
}

/** Models and disks come back; the work then goes on where it stopped. */
function retryAfter(attempt: number, error: unknown): number | null {
  const isPassing = error instanceof Unavailable || error instanceof OutOfSpace;
  return isPassing ? Math.min(60_000, 500 * 2 ** attempt) : null;
}

/** What a command that was given up has left is removed, by a command of its own. */
export function cleanUpAfterFailures(deps: RunningDependencies): () => void {
  return deps.queue.subscribe((item: WorkItem) => {
    if (item.state !== 'FAILED' || !commandKinds.includes(item.kind) || item.subject === null) return;
    const { sources, type } = item.payload as Partial<IndexingPayload>;
    const cleaning = async (bot: string) => {
      if (sources !== undefined) await deps.blobs.delete(sources);
      if (type === 'sync_bot') await noteResult(deps.database, bot, { error: item.error });
      await requestCleanUp(deps, bot);
    };
    cleaning(item.subject).catch((error: unknown) =>
      deps.logger.warn({ err: error, command: item.id }, 'the clean-up could not be requested'),
    );
  });
}
