/** How fast the work runner claims, runs and completes items on SQLite, compared with plain commits on the same disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { systemClock } from '../src/contracts/clock.ts';
import { createWorkRunner } from '../src/platform/queue/running/work-runner.ts';
import { createWorkQueue } from '../src/platform/queue/work-queue.ts';
import { silentLogger } from '../src/platform/telemetry/logger.ts';
import { openDatabase } from '../test/testkit/stores/open-database.ts';

const seconds = 2;
const target = 1_000;

// In the checkout instead of a temporary folder, which may be in memory.
const folder = mkdtempSync(join(import.meta.dirname, '..', '.bench-queue-'));

/** Commits per second of one connection, each flushed to disk. */
function bareCommits(): number {
  const sqlite = new Sqlite(join(folder, 'bare.db'));
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.exec('create table cycles (id integer primary key, payload text)');
  const insert = sqlite.prepare('insert into cycles (payload) values (?)');
  const start = performance.now();
  let commits = 0;
  while (performance.now() - start < seconds * 1_000) {
    insert.run('{"model":"starter"}');
    commits += 1;
  }
  sqlite.close();
  return commits / seconds;
}

async function cycles(concurrency: number, keyed: boolean): Promise<{ rate: number; processorTime: number }> {
  const database = await openDatabase({ url: `sqlite:${join(folder, `queue-${concurrency}-${keyed}.db`)}` });
  const queue = createWorkQueue({ database, clock: systemClock });
  let completed = 0;
  const runner = createWorkRunner({
    database,
    queue,
    clock: systemClock,
    logger: silentLogger(),
    kinds: { CYCLE: { concurrency, afterCrash: 'resume', run: async ({ payload }) => payload } },
  });
  queue.subscribe((item) => {
    if (item.state === 'FINISHED') completed += 1;
  });
  const waiting = 60_000;
  await database.transaction(async (session) => {
    for (let number = 0; number < waiting; number += 1) {
      const exclusiveKeys = keyed ? [`bot:${number % 500}`] : [];
      await queue.enqueue(
        { kind: 'CYCLE', name: `CYCLE_${number}`, payload: { number }, exclusiveKeys },
        session,
      );
    }
  });
  completed = 0;
  const before = process.cpuUsage();
  const start = performance.now();
  runner.start();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const elapsed = performance.now() - start;
  const spent = process.cpuUsage(before);
  const rate = (completed / elapsed) * 1_000;
  const processorTime = (spent.user + spent.system) / completed;
  await runner.stop();
  await database.close();
  return { rate, processorTime };
}

try {
  const bare = bareCommits();
  console.log(`plain commits, synchronous FULL     ${bare.toFixed(0)} /s`);
  const rates: number[] = [];
  for (const [concurrency, keyed] of [
    [1, false],
    [8, false],
    [8, true],
  ] as const) {
    const { rate, processorTime } = await cycles(concurrency, keyed);
    // With a concurrency of one, each item waits for its own commit, so this measures mostly the disk.
    if (concurrency > 1) rates.push(rate);
    console.log(
      `claim-run-complete, ${concurrency} parallel${keyed ? ', keyed' : '       '} ${rate.toFixed(0)} /s   ${(rate / bare).toFixed(2)} of plain commits   ${processorTime.toFixed(0)} µs CPU time per cycle`,
    );
  }
  const least = Math.min(...rates);
  console.log(
    `lowest rate with several in parallel ${least.toFixed(0)} /s, target ${target} /s: ${least >= target ? 'met' : 'missed'}`,
  );
  if (least < target) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
