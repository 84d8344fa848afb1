import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock } from '../../../contracts/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { WorkItem } from '../work-item.ts';
import type { WorkKind } from '../work-kind.ts';
import type { WorkQueue } from '../work-queue.ts';
import { toWorkItem, type WorkRow } from '../work-row.ts';
import { pruneWork } from '../work-store.ts';
import type { Interruption } from './outcomes.ts';
import type { Settlement } from './settle-store.ts';
import { storeResults } from './store-results.ts';
import { takeTurn } from './turn.ts';
import { WorkRun } from './work-run.ts';

export interface WorkRunner {
  start(): void;
  /**
   * Claims no more work. Resumable items are interrupted and go back to the queue; the others may run for
   * another `grace` milliseconds (default 10,000) before they are interrupted too.
   */
  stop(options?: { grace?: number }): Promise<void>;
}

interface WorkRunnerOptions {
  database: Database;
  queue: WorkQueue;
  clock: Clock;
  logger: Pick<Logger, 'error' | 'warn'>;
  /** The machine that this process runs on, for work that is meant for one. */
  machine?: string;
  /** Each kind has one runner per process. */
  kinds: Readonly<Record<string, WorkKind>>;
  /** Milliseconds between polls for changes without an event: those of other processes, and items that become due. */
  pollEvery?: number;
  /** Milliseconds after its last lease renewal when a process is considered dead. */
  lease?: number;
}

const pruneEvery = 10 * 60_000;
const usualKeep = 30 * 24 * 60 * 60_000;
const lastGrace = 2_000;
const awayLimit = 60 * 60_000;

export function createWorkRunner(options: WorkRunnerOptions): WorkRunner {
  const {
    database,
    queue,
    clock,
    logger,
    kinds,
    pollEvery = 500,
    lease = 30_000,
    machine = hostname(),
  } = options;
  const runner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  // Enqueueing wakes the runner; the async context of that request must not leak into the handlers.
  const outside = AsyncLocalStorage.snapshot();
  const results = storeResults({ database, queue, clock, retryEvery: pollEvery });
  const runs = new Map<number, WorkRun>();
  const due = new Set<string>();
  let settlements: Settlement[] = [];
  let polled = false;
  let renewAt = 0;
  let recoverAt = 0;
  let pruneAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let again = false;
  let failing = false;
  let turning: Promise<void> | undefined;
  let unsubscribe = () => {};

  function wake(): void {
    if (!timer) return;
    again = true;
    turning ??= outside(turns);
  }

  async function turns(): Promise<void> {
    while (again && timer) {
      again = false;
      // Lets items that end at the same time share a commit, and lets requests be served between turns.
      await setImmediate();
      try {
        await turn();
        if (failing) logger.warn({}, 'the work runner can write to the database again');
        failing = false;
      } catch (error) {
        if (!failing)
          logger.error(
            { err: error },
            'the work runner failed to write to the database; it will keep retrying',
          );
        failing = true;
        // Other processes were out of touch too: they get time to renew their leases first.
        recoverAt = clock.now() + lease / 3;
        await setTimeout(pollEvery);
        again ||= settlements.length > 0;
      }
    }
    turning = undefined;
  }

  async function turn(): Promise<void> {
    const now = clock.now();
    const settling = settlements;
    const settlingItems = new Set(settling.map(({ seq }) => seq));
    const going = [...runs.values()].filter((run) => !settlingItems.has(run.hold.seq));
    const claims = stopping ? [] : freeSlots(going);
    const checking = polled;
    const check = checking && going.length > 0;
    const renew = check && now >= renewAt;
    const recover = checking && now >= recoverAt;
    const progress = checking ? unsavedProgress(going) : [];
    settlements = [];
    due.clear();
    polled = false;
    const leaseUntil = now + lease;
    try {
      const running = going.map((run) => run.hold.seq);
      const asked = {
        runner,
        machine,
        kinds,
        now,
        leaseUntil,
        settlements: settling,
        progress,
        check,
        renew,
        recover,
        claims,
        running,
      };
      const result = await database.transaction((session) =>
        takeTurn(session, { ...asked, alone: database.exclusive }),
      );
      if (renew) renewAt = now + lease / 3;
      if (recover) recoverAt = now + lease / 3;
      for (const seq of settlingItems) runs.delete(seq);
      for (const run of going) {
        const lost = result.held && result.held.get(run.hold.seq) !== run.hold.claim && !run.finished;
        if (lost) run.interrupt('lost');
        else if (renew) run.leaseUntil = leaseUntil;
      }
      if (result.unblocked) wakeAll();
      for (const row of [...result.changed, ...result.claimed]) queue.publish(toWorkItem(row));
      for (const row of result.claimed) begin(row);
    } catch (error) {
      settlements.unshift(...settling);
      throw error;
    }
  }

  function freeSlots(going: WorkRun[]): { kind: string; limit: number }[] {
    return [...due]
      .map((kind) => {
        const busy = going.filter((run) => run.kind === kind).length;
        return { kind, limit: (kinds[kind]?.concurrency ?? 1) - busy };
      })
      .filter(({ limit }) => limit > 0);
  }

  function unsavedProgress(going: WorkRun[]) {
    return going.flatMap((run) => {
      const text = run.takeProgress();
      return text ? [{ hold: run.hold, text }] : [];
    });
  }

  function begin(row: WorkRow): void {
    const kind = kinds[row.kind];
    if (!kind) return;
    const run = new WorkRun({ row, kind, clock, logger, ...results });
    runs.set(row.seq, run);
    if (stopping && run.resumable) run.interrupt('shutdown');
    run.settle().then((settlement) => {
      if (settlement) settlements.push(settlement);
      else runs.delete(row.seq);
      if (settlement) due.add(row.kind);
      else for (const name of Object.keys(kinds)) due.add(name);
      wake();
    });
  }

  function onChange(item: WorkItem): void {
    if (item.state === 'CREATED' && kinds[item.kind]) {
      due.add(item.kind);
      wake();
    }
    if (item.state === 'KILLED') {
      for (const run of runs.values()) if (run.id === item.id) run.interrupt('canceled');
      wakeAll();
    }
  }

  function wakeAll(): void {
    for (const kind of Object.keys(kinds)) due.add(kind);
    wake();
  }

  function poll(): void {
    const now = clock.now();
    polled = true;
    // The lease has expired, so another process may have taken over the item. While the database refuses this process, it
    // most likely refuses the others as well, so work may continue for longer.
    if (!database.exclusive) {
      const late = now - (failing ? awayLimit : 0);
      for (const run of runs.values()) if (run.leaseUntil < late) run.interrupt('lost');
    }
    if (now >= pruneAt) {
      pruneAt = now + pruneEvery;
      prune(now).catch((error) => logger.error({ err: error }, 'could not remove old work items'));
    }
    wakeAll();
  }

  async function prune(now: number): Promise<void> {
    for (const [name, { keepEnded = usualKeep, keepLast = false }] of Object.entries(kinds)) {
      await pruneWork(database, name, now - keepEnded, keepLast);
    }
  }

  async function drain(
    limit: number,
    interruption: Interruption,
    which: (run: WorkRun) => boolean,
  ): Promise<void> {
    const end = performance.now() + limit;
    for (const run of runs.values()) if (which(run)) run.interrupt(interruption);
    while ((runs.size > 0 || turning) && performance.now() < end) await setTimeout(5);
  }

  return {
    start() {
      // A process without work kinds only enqueues.
      if (Object.keys(kinds).length === 0) return;
      unsubscribe = queue.subscribe(onChange);
      timer = setInterval(poll, pollEvery);
      poll();
    },
    async stop({ grace = 10_000 } = {}) {
      stopping = true;
      await drain(grace, 'shutdown', (run) => run.resumable);
      await drain(lastGrace, 'shutdown', () => true);
      unsubscribe();
      clearInterval(timer);
      timer = undefined;
      await turning;
      for (const run of runs.values()) logger.warn({ job: run.id }, 'work item did not stop in time');
    },
  };
}
