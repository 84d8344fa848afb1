import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { Database } from '../database/database.ts';
import type { WorkItem } from './work-item.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

describeOnEachDatabase('the work queue', (databases) => {
  let database: Database;
  let queue: WorkQueue;
  let now = 1_800_000_000_000;

  beforeEach(async () => {
    database = await openDatabase({ url: await databases.create() });
    queue = createWorkQueue({ database, clock: { now: () => now++ } });
  });
  afterEach(() => database.close());

  test('an item that was enqueued can be got, with what it was given', async () => {
    const work = {
      kind: 'DOWNLOAD',
      name: 'DOWNLOAD_a/b',
      subject: 'a/b',
      payload: { model: 'a/b', ж: [1] },
    };
    const { id } = await queue.enqueue({ ...work, priority: 7, notBefore: 1_900_000_000_000 });
    expect(await queue.get(id)).toEqual({
      ...work,
      id,
      state: 'CREATED',
      priority: 7,
      notBefore: 1_900_000_000_000,
      progress: null,
      result: null,
      error: null,
      attempts: 0,
      createdAt: expect.any(Number),
      startedAt: null,
      finishedAt: null,
    });
  });

  test('an unknown id is NotFound, to get and to cancel', async () => {
    await expect(queue.get('none')).rejects.toThrow(NotFound);
    await expect(queue.cancel('none')).rejects.toThrow(NotFound);
  });

  test('a priority out of range is refused', async () => {
    await expect(async () => queue.enqueue({ kind: 'A', name: 'A', priority: 101 })).rejects.toThrow(
      RangeError,
    );
    await expect(async () => queue.enqueue({ kind: 'A', name: 'A', priority: 0.5 })).rejects.toThrow(
      RangeError,
    );
  });

  test('lists the newest first, by kind, state and subject', async () => {
    const first = await queue.enqueue({ kind: 'A', name: 'first', subject: 'x' });
    const second = await queue.enqueue({ kind: 'B', name: 'second', subject: 'x' });
    const third = await queue.enqueue({ kind: 'A', name: 'third' });
    await queue.cancel(third.id);
    const ids = async (filter?: Parameters<WorkQueue['list']>[0]) =>
      (await queue.list(filter)).map((item) => item.id);
    expect(await ids()).toEqual([third.id, second.id, first.id]);
    expect(await ids({ limit: 2 })).toEqual([third.id, second.id]);
    expect(await ids({ kinds: ['A'] })).toEqual([third.id, first.id]);
    expect(await ids({ kinds: ['A'], states: ['CREATED', 'RUNNING'] })).toEqual([first.id]);
    expect(await ids({ subject: 'x' })).toEqual([second.id, first.id]);
  });

  test('a row and its work are one commit', async () => {
    const told: WorkItem[] = [];
    queue.subscribe((item) => told.push(item));
    const attempt = database.transaction(async (session) => {
      await queue.enqueue({ kind: 'A', name: 'A', exclusiveKeys: ['bot:x'] }, session);
      throw new Error('changed my mind');
    });
    await expect(attempt).rejects.toThrow('changed my mind');
    expect(await queue.list()).toEqual([]);
    expect(await queue.active(['bot:x'])).toEqual([]);
    expect(told).toEqual([]);
    const { joined, ...item } = await database.transaction((session) =>
      queue.enqueue({ kind: 'A', name: 'A' }, session),
    );
    expect(told).toEqual([item]);
    expect(joined).toBe(false);
  });

  test('a unique key returns the item that has not ended', async () => {
    const work = {
      kind: 'DOWNLOAD',
      name: 'DOWNLOAD_a',
      uniqueKey: 'download:a',
      exclusiveKeys: ['model:a'],
    };
    const all = await Promise.all(Array.from({ length: 10 }, () => queue.enqueue(work)));
    expect(new Set(all.map((item) => item.id)).size).toBe(1);
    expect(all.filter((item) => !item.joined)).toHaveLength(1);
    await queue.cancel(all[0]?.id ?? '');
    expect((await queue.enqueue(work)).id).not.toBe(all[0]?.id);
    expect(await queue.list()).toHaveLength(2);
  });

  test('tells what is active with a key, in the order of the line', async () => {
    const add = (name: string, exclusiveKeys: string[], priority = 0) =>
      queue.enqueue({ kind: 'A', name, exclusiveKeys, priority });
    await add('low', ['bot:x', 'document:1']);
    await add('other', ['bot:y']);
    await add('high', ['bot:x', 'bot:x'], 5);
    const ended = await add('ended', ['bot:x']);
    await queue.cancel(ended.id);
    const names = async (...keys: string[]) => (await queue.active(keys)).map((item) => item.name);
    expect(await names('bot:x')).toEqual(['high', 'low']);
    expect(await names('document:1', 'bot:y')).toEqual(['low', 'other']);
    expect(await names('bot:z')).toEqual([]);
    expect(await names()).toEqual([]);
  });

  test('what waits is killed at once; what has ended is a Conflict', async () => {
    const { id } = await queue.enqueue({ kind: 'A', name: 'A' });
    expect(await queue.cancel(id)).toMatchObject({ id, state: 'KILLED', finishedAt: expect.any(Number) });
    await expect(queue.cancel(id)).rejects.toThrow(new Conflict(`job '${id}' has already ended (KILLED)`));
    expect(await queue.get(id)).toMatchObject({ state: 'KILLED' });
  });

  test('a subscriber that throws disturbs nobody, and one that left hears nothing', async () => {
    const heard: string[] = [];
    queue.subscribe(() => {
      throw new Error('a bad subscriber');
    });
    const leave = queue.subscribe((item) => heard.push(item.name));
    await queue.enqueue({ kind: 'A', name: 'one' });
    leave();
    await queue.enqueue({ kind: 'A', name: 'two' });
    expect(heard).toEqual(['one']);
  });
});
