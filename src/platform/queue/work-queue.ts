import type { Clock } from '../../contracts/clock.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { Database, Session } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { lockQueue } from './claim-store.ts';
import type { EnqueuedWork, NewWork, WorkItem } from './work-item.ts';
import { toWorkItem } from './work-row.ts';
import {
  farthestPriority,
  findWork,
  insertWork,
  killWork,
  listActiveWork,
  listWork,
  type WorkFilter,
} from './work-store.ts';

type Listener = (item: WorkItem) => void;

/** The persistent work queue: what a service needs to enqueue work and follow it. */
export interface WorkQueue {
  /** With a session, the item is inserted in that transaction, together with the caller's own rows. */
  enqueue(work: NewWork, session?: Session): Promise<EnqueuedWork>;
  /** Throws `NotFound`. */
  get(id: string, session?: Session): Promise<WorkItem>;
  /** Newest first. */
  list(filter?: WorkFilter, session?: Session): Promise<WorkItem[]>;
  /** Items that wait or run with any of these exclusive keys; answers questions such as "is this bot busy?". */
  active(keys: readonly string[], session?: Session): Promise<WorkItem[]>;
  /** Sets the item to KILLED and aborts the handler's signal. Throws `NotFound`, or `Conflict` if it has already ended. */
  cancel(id: string, session?: Session): Promise<WorkItem>;
  /** Calls the listener after each committed change made by this process; returns a function that removes it. */
  subscribe(listener: Listener): () => void;
  /** For the runner: notifies the subscribers. */
  publish(item: WorkItem): void;
}

interface WorkQueueOptions {
  database: Database;
  clock: Clock;
  logger?: Pick<Logger, 'error'>;
  /** Milliseconds that a killed item keeps its keys while its handler has not returned. */
  cancelGrace?: number;
}

export function createWorkQueue({
  database,
  clock,
  logger,
  cancelGrace = 30_000,
}: WorkQueueOptions): WorkQueue {
  const listeners = new Set<Listener>();

  function publish(item: WorkItem): void {
    for (const listener of listeners) {
      try {
        listener(item);
      } catch (error) {
        logger?.error({ err: error, job: item.id }, 'a work queue listener failed');
      }
    }
  }

  function within<Result>(session: Session | undefined, work: (session: Session) => Promise<Result>) {
    return session ? work(session) : database.transaction(work);
  }

  return {
    publish,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    enqueue(work, given) {
      checkPriority(work.priority ?? 0);
      return within(given, async (session) => {
        const { row, created } = await insertWork(session, work, clock.now());
        const item = toWorkItem(row);
        if (created) session.afterCommit(() => publish(item));
        return { ...item, joined: !created };
      });
    },
    async get(id, session = database) {
      const row = await findWork(session, id);
      if (!row) throw new NotFound('job', id);
      return toWorkItem(row);
    },
    async list(filter = {}, session = database) {
      return (await listWork(session, filter)).map(toWorkItem);
    },
    async active(keys, session = database) {
      return (await listActiveWork(session, keys)).map(toWorkItem);
    },
    cancel(id, given) {
      return within(given, async (session) => {
        await lockQueue(session);
        const now = clock.now();
        const row = await killWork(session, id, now, now + cancelGrace);
        if (!row) throw await whyNotKilled(session, id);
        const item = toWorkItem(row);
        session.afterCommit(() => publish(item));
        return item;
      });
    },
  };
}

async function whyNotKilled(session: Session, id: string): Promise<NotFound | Conflict> {
  const row = await findWork(session, id);
  return row ? new Conflict(`job '${id}' has already ended (${row.state})`) : new NotFound('job', id);
}

function checkPriority(priority: number): void {
  if (!Number.isInteger(priority) || Math.abs(priority) > farthestPriority) {
    throw new RangeError(`The priority must be an integer from -${farthestPriority} to ${farthestPriority}.`);
  }
}
