import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../../contracts/clock.ts';
import { Conflict } from '../../../contracts/problems.ts';
import type { Database, Session } from '../../database/database.ts';
import { isDatabaseAway } from '../../database/database-problems.ts';
import { toJson } from '../../database/json-column.ts';
import { lockQueue } from '../claim-store.ts';
import type { WorkQueue } from '../work-queue.ts';
import { toWorkItem } from '../work-row.ts';
import { afterReturn } from './outcomes.ts';
import { type Hold, hasFinished, type Settlement, saveResult, settleWork } from './settle-store.ts';
import type { WorkRunOptions } from './work-run.ts';

interface StoringOptions {
  database: Database;
  queue: Pick<WorkQueue, 'publish'>;
  clock: Clock;
  /** Milliseconds between attempts while the database can't be reached. */
  retryEvery: number;
}

type Effect = (session: Session) => Promise<unknown>;

/** Stores what handlers did, each in one transaction with the state of its item. */
export function storeResults(options: StoringOptions): Pick<WorkRunOptions, 'finish' | 'save'> {
  const { database, queue, clock, retryEvery } = options;

  /** The result is kept while the database can't be reached, and stored once it is back. */
  async function finish(settlement: Settlement, effect: Effect, signal: AbortSignal): Promise<void> {
    for (let first = true; ; first = false) {
      try {
        return await finishOnce(settlement, effect);
      } catch (error) {
        // The connection may have been lost after the commit.
        if (!first && error instanceof Conflict && (await hasFinished(database, settlement))) return;
        if (!isDatabaseAway(error)) throw error;
        await setTimeout(retryEvery, undefined, { signal });
      }
    }
  }

  async function finishOnce(settlement: Settlement, effect: Effect): Promise<void> {
    await database.transaction(async (session) => {
      const outcome = afterReturn(await effect(session));
      await lockQueue(session);
      const { rows } = await settleWork(session, [{ ...settlement, outcome }], clock.now());
      const row = rows[0];
      if (!row) throw noLongerHeld();
      session.afterCommit(() => queue.publish(toWorkItem(row)));
    });
  }

  async function save(hold: Hold, effect: Effect): Promise<void> {
    await database.transaction(async (session) => {
      const value = toJson(await effect(session));
      await lockQueue(session);
      if (!(await saveResult(session, hold, value))) throw noLongerHeld();
    });
  }

  return { finish, save };
}

function noLongerHeld(): Conflict {
  return new Conflict('This run no longer holds the work item.');
}
