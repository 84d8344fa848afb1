import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/contracts/clock.ts';
import type { NewWork, WorkItem } from '../../src/platform/queue/work-item.ts';
import { createWorkQueue, type WorkQueue } from '../../src/platform/queue/work-queue.ts';
import { describeOnEachDatabase } from '../testkit/stores/databases.ts';
import { openDatabase } from '../testkit/stores/open-database.ts';
import { WorkerProcess } from './worker-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withQueue<Result>(url: string, use: (queue: WorkQueue) => Promise<Result>): Promise<Result> {
  const database = await openDatabase({ url });
  try {
    return await use(createWorkQueue({ database, clock: systemClock }));
  } finally {
    await database.close();
  }
}

test('24 rounds of kill -9 under writes: nothing acknowledged is lost, and every state holds', {
  timeout: 240_000,
}, async () => {
  const lanes = await Promise.all([rounds(12, 'one'), rounds(12, 'two')]);
  // Each round waits for one acknowledgement at least.
  expect(lanes.reduce((sum, lane) => sum + lane, 0)).toBeGreaterThanOrEqual(24);
});

/** Kills a flooding worker again and again on one database, checks it, and returns how much was acknowledged. */
async function rounds(count: number, lane: string): Promise<number> {
  const data = join(folder, lane);
  const url = `sqlite:${join(data, 'roundhouse.db')}`;
  const enqueued = new Set<string>();
  const finished = new Set<string>();
  for (let round = 0; round < count; round += 1) {
    const signs = mkdtempSync(join(folder, 'signs-'));
    const worker = new WorkerProcess(url, signs, '1000', 'flood');
    await worker.says('CREATED');
    await sleep(Math.random() * 60);
    await worker.end('SIGKILL');
    for (const name of worker.said('CREATED')) enqueued.add(name);
    for (const name of worker.said('FINISHED')) finished.add(name);
    expect(worker.said('clash')).toEqual([]);
  }

  const database = await openDatabase({ url });
  const items = await database.query.selectFrom('work_items').selectAll().execute();
  const keys = await database.query.selectFrom('work_keys').selectAll().execute();
  const integrity = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.query);
  await database.close();
  expect(integrity.rows).toEqual([{ integrity_check: 'ok' }]);
  const states = new Map(items.map((item) => [item.name, item.state]));
  expect([...enqueued].filter((name) => !states.has(name))).toEqual([]);
  expect([...finished].filter((name) => states.get(name) !== 'FINISHED')).toEqual([]);
  const seqs = (...of: string[]) =>
    new Set(items.filter((item) => of.includes(item.state)).map((item) => item.seq));
  expect(new Set(keys.map((key) => key.item))).toEqual(seqs('CREATED', 'RUNNING'));
  expect(new Set(keys.filter((key) => key.held === 1).map((key) => key.item))).toEqual(seqs('RUNNING'));
  await everythingEnds(url);
  return enqueued.size + finished.size;
}

/** What the kills left behind is worked off by a worker that nobody kills. */
async function everythingEnds(url: string): Promise<void> {
  const last = await withQueue(url, (queue) =>
    queue.enqueue({
      kind: 'QUICK',
      name: 'last',
      priority: -100,
      payload: { key: 'last' },
      exclusiveKeys: ['key-0', 'key-1', 'key-2', 'key-3', 'key-4'],
    }),
  );
  const worker = new WorkerProcess(url, mkdtempSync(join(folder, 'signs-')));
  await worker.says(`FINISHED ${last.name}`);
  await worker.end('SIGTERM');
  const open = await withQueue(url, (queue) => queue.list({ states: ['CREATED', 'RUNNING', 'FAILED'] }));
  expect(open).toEqual([]);
}

test('work that kills its process again and again is given up', async () => {
  const url = `sqlite:${join(folder, 'data', 'roundhouse.db')}`;
  const work = { kind: 'RESUMED', name: 'deadly', payload: {} };
  const { id } = await withQueue(url, (queue) => queue.enqueue(work));
  for (const attempt of [1, 2, 3, 4, 5]) {
    const worker = new WorkerProcess(url, folder);
    await worker.says(`begin deadly ${attempt}`);
    await worker.end('SIGKILL');
  }
  const last = new WorkerProcess(url, folder);
  await last.says('FAILED deadly');
  await last.end('SIGTERM');
  expect(await withQueue(url, (queue) => queue.get(id))).toMatchObject({
    error: 'Given up after 5 attempts: each time the process that ran this exited before it was done.',
  });
});

describeOnEachDatabase('a worker that is killed', (databases) => {
  let url: string;
  const workers: WorkerProcess[] = [];
  beforeEach(async () => {
    url = await databases.create();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
  });

  function startWorker(): WorkerProcess {
    const worker = new WorkerProcess(url, folder, '3000');
    workers.push(worker);
    return worker;
  }
  const enqueue = (...work: NewWork[]): Promise<WorkItem[]> =>
    withQueue(url, async (queue) => {
      const items: WorkItem[] = [];
      for (const one of work) items.push(await queue.enqueue(one));
      return items;
    });
  const items = (ids: WorkItem[]) =>
    withQueue(url, (queue) => Promise.all(ids.map(({ id }) => queue.get(id))));

  test('its work is resumed or failed by the next, by kind, and its keys come free', async () => {
    const all = await enqueue(
      { kind: 'RESUMED', name: 'resumed', payload: {}, exclusiveKeys: ['one'] },
      { kind: 'FAILED', name: 'failed', payload: {}, exclusiveKeys: ['two'] },
      { kind: 'QUICK', name: 'behind', payload: { key: 'two' }, exclusiveKeys: ['two'] },
    );
    const first = startWorker();
    await Promise.all([first.says('begin resumed 1'), first.says('begin failed 1')]);
    await first.end('SIGKILL');
    expect(first.said('begin')).not.toContain('behind');

    const second = startWorker();
    await Promise.all([second.says('begin resumed'), second.says('FINISHED behind')]);
    writeFileSync(join(folder, 'go'), '');
    await second.says('FINISHED resumed');
    await second.end('SIGTERM');
    expect(await items(all)).toMatchObject([
      { state: 'FINISHED', result: expect.stringMatching(/^attempt [2-5]$/) },
      { state: 'FAILED', attempts: 1, error: 'The process that ran this exited before it was done.' },
      { state: 'FINISHED', attempts: 1 },
    ]);
  });

  test('after SIGTERM instead, what can be resumed waits for the next start and has lost no attempt', async () => {
    const all = await enqueue({ kind: 'RESUMED', name: 'resumed', payload: {} });
    const first = startWorker();
    await first.says('begin resumed 1');
    await first.end('SIGTERM');
    expect(await items(all)).toMatchObject([{ state: 'CREATED', attempts: 0 }]);
  });
});
