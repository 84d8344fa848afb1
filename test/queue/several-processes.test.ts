import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/contracts/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createWorkQueue, type WorkQueue } from '../../src/platform/queue/work-queue.ts';
import { describeOnPostgres } from '../testkit/stores/databases.ts';
import { openDatabase } from '../testkit/stores/open-database.ts';
import { until } from '../testkit/until.ts';
import { WorkerProcess } from './worker-process.ts';

describeOnPostgres('several processes on one PostgreSQL', (databases) => {
  let folder: string;
  let url: string;
  let database: Database;
  let queue: WorkQueue;
  const workers: WorkerProcess[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roundhouse-several-'));
    url = await databases.create();
    database = await openDatabase({ url });
    queue = createWorkQueue({ database, clock: systemClock });
  });
  afterEach(async () => {
    for (const worker of workers) worker.signal('SIGCONT');
    await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function startWorker(lease: number): WorkerProcess {
    const worker = new WorkerProcess(url, folder, String(lease));
    workers.push(worker);
    return worker;
  }

  test('each item runs once, and keys hold between the processes', async () => {
    const workers = [startWorker(60_000), startWorker(60_000)];
    await Promise.all(workers.map((worker) => worker.says('ready')));
    const names = Array.from({ length: 200 }, (_, number) => `item-${number}`);
    await database.transaction(async (session) => {
      for (const [number, name] of names.entries()) {
        const key = `key-${number % 12}`;
        await queue.enqueue({ kind: 'QUICK', name, payload: { key }, exclusiveKeys: [key] }, session);
      }
    });
    await until(
      'all to end',
      async () => (await queue.list({ states: ['FINISHED'] })).length === names.length,
    );
    const began = () => workers.flatMap((worker) => worker.said('begin'));
    await until('what they said is read', () => began().length >= names.length);
    expect(began().toSorted()).toEqual(names.toSorted());
    expect(workers.flatMap((worker) => worker.said('clash'))).toEqual([]);
  });

  test('work is shared: what one has no room for, the other takes', async () => {
    const workers = [startWorker(60_000), startWorker(60_000)];
    await Promise.all(workers.map((worker) => worker.says('ready')));
    // Each runs four of a kind at once.
    for (const number of [1, 2, 3, 4, 5])
      await queue.enqueue({ kind: 'RESUMED', name: `held-${number}`, payload: {} });
    await until('all to run', () => workers.flatMap((worker) => worker.said('begin')).length === 5);
    expect(workers.every((worker) => worker.said('begin').length > 0)).toBe(true);
  });

  test('a cancel reaches the process that runs it', async () => {
    const worker = startWorker(60_000);
    const { id } = await queue.enqueue({ kind: 'RESUMED', name: 'held', payload: {} });
    await worker.says('begin held 1');
    await queue.cancel(id);
    await worker.says('abort held');
    expect((await queue.get(id)).state).toBe('KILLED');
  });

  test('the work of a killed process is taken over by another that runs', async () => {
    const first = startWorker(3_000);
    const { id } = await queue.enqueue({ kind: 'RESUMED', name: 'held', payload: {} });
    await first.says('begin held 1');
    const second = startWorker(3_000);
    await second.says('ready');
    await first.end('SIGKILL');
    await second.says('begin held');
    writeFileSync(join(folder, 'go'), '');
    await second.says('FINISHED held');
    // At least: on a machine under load the first may have lost its lease before it was killed.
    expect((await queue.get(id)).attempts).toBeGreaterThanOrEqual(2);
  });

  test('a process that was away too long can not end what another took over', async () => {
    const first = startWorker(3_000);
    const { id } = await queue.enqueue({ kind: 'RESUMED', name: 'held', payload: { deaf: true } });
    await first.says('begin held 1');
    first.signal('SIGSTOP');
    const second = startWorker(3_000);
    await second.says('begin held');
    // The one that was away comes back and returns first; only then does the new holder.
    second.signal('SIGSTOP');
    writeFileSync(join(folder, 'go'), '');
    first.signal('SIGCONT');
    await first.says('return held');
    const probe = await queue.enqueue({ kind: 'QUICK', name: 'probe', payload: { key: 'probe' } });
    await until('a later turn of the first', async () => (await queue.get(probe.id)).state === 'FINISHED');
    expect((await queue.get(id)).result).not.toBe('attempt 1');
    second.signal('SIGCONT');
    await until('it to end', async () => (await queue.get(id)).state === 'FINISHED');
    expect((await queue.get(id)).result).not.toBe('attempt 1');
  });
});
