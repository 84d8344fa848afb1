import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../../test/testkit/stores/open-database.ts';
import { until } from '../../../../test/testkit/until.ts';
import { systemClock } from '../../../contracts/clock.ts';
import { BadRequest, Conflict } from '../../../contracts/problems.ts';
import type { Database } from '../../database/database.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import type { WorkItem, WorkState } from '../work-item.ts';
import type { WorkContext, WorkKind } from '../work-kind.ts';
import { createWorkQueue, type WorkQueue } from '../work-queue.ts';
import { createWorkRunner, type WorkRunner } from './work-runner.ts';

/** A handler that tells when it began and ends when told to. */
class Gate {
  readonly begun: string[] = [];
  readonly running = new Set<string>();
  readonly #opened = new Map<string, () => void>();

  readonly run = async ({ name, signal }: WorkContext): Promise<string> => {
    this.begun.push(name);
    this.running.add(name);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#opened.set(name, resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      return `result of ${name}`;
    } finally {
      this.running.delete(name);
    }
  };

  async open(name: string): Promise<void> {
    await this.hasBegun(name);
    this.#opened.get(name)?.();
  }

  /** Later than the state in the database, which is RUNNING before the handler is called. */
  async hasBegun(name: string): Promise<void> {
    await until(`${name} to begin`, () => this.running.has(name));
  }
}

describeOnEachDatabase('the work runner', (databases) => {
  let database: Database;
  let queue: WorkQueue;
  let gate: Gate;
  const runners: WorkRunner[] = [];

  beforeEach(async () => {
    database = await openDatabase({ url: await databases.create() });
    queue = createWorkQueue({ database, clock: systemClock, cancelGrace: 60_000 });
    gate = new Gate();
  });
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop({ grace: 100 })));
    await database.close();
  });

  function start(kinds: Record<string, WorkKind>, options: { pollEvery?: number; lease?: number } = {}) {
    const runner = createWorkRunner({
      database,
      queue,
      clock: systemClock,
      logger: silentLogger(),
      kinds,
      pollEvery: 20,
      ...options,
    });
    runners.push(runner);
    runner.start();
    return runner;
  }

  const gated = (more: Partial<WorkKind> = {}): WorkKind => ({
    concurrency: 4,
    afterCrash: 'resume',
    run: gate.run,
    ...more,
  });
  const add = (name: string, more: object = {}) => queue.enqueue({ kind: 'A', name, ...more });
  const reaches = (id: string, state: WorkState): Promise<WorkItem> =>
    until(`${id} to be ${state}`, async () => {
      const item = await queue.get(id);
      return item.state === state && item;
    });
  /** What could wrongly start has had its chance when an item of another kind has come and gone. */
  const settled = async () => {
    for (const round of [1, 2])
      await reaches((await queue.enqueue({ kind: 'PROBE', name: `${round}` })).id, 'FINISHED');
  };
  const probe: WorkKind = { afterCrash: 'resume', run: async () => null };

  test('runs an item from CREATED over RUNNING to FINISHED, and tells each', async () => {
    const told: WorkState[] = [];
    queue.subscribe((item) => told.push(item.state));
    start({ A: gated() });
    const { id } = await add('a', { payload: { number: 1 } });
    expect(await reaches(id, 'RUNNING')).toMatchObject({
      attempts: 1,
      startedAt: expect.any(Number),
      finishedAt: null,
    });
    await gate.open('a');
    expect(await reaches(id, 'FINISHED')).toMatchObject({
      result: 'result of a',
      finishedAt: expect.any(Number),
    });
    // Told right after the commit that the look above has seen.
    await until('the end to be told', () => told.length === 3);
    expect(told).toEqual(['CREATED', 'RUNNING', 'FINISHED']);
  });

  test('wakes at once on enqueue, without waiting for the next look', async () => {
    start({ A: { afterCrash: 'resume', run: async () => 1 } }, { pollEvery: 3_600_000 });
    for (const name of ['a', 'b', 'c']) await reaches((await add(name)).id, 'FINISHED');
  });

  test('keeps to the number at once, by priority and then by arrival', async () => {
    for (const [name, priority] of [
      ['a', 0],
      ['b', 0],
      ['first', 9],
      ['last', -9],
    ] as const)
      await add(name, { priority });
    start({ A: gated({ concurrency: 2 }), PROBE: probe });
    await until('two to run', () => gate.running.size === 2);
    await settled();
    expect(gate.begun).toEqual(['first', 'a']);
    await gate.open('a');
    await gate.open('b');
    await gate.open('last');
    expect(gate.begun).toEqual(['first', 'a', 'b', 'last']);
  });

  test('a kind that is full does not hold up another', async () => {
    start({ A: gated({ concurrency: 1 }), PROBE: probe });
    for (const name of ['a', 'b', 'c']) await add(name);
    await settled();
    expect(gate.begun).toEqual(['a']);
  });

  test('starts nothing before its time, and is not held up by what waits for its own', async () => {
    start({ A: gated(), PROBE: probe });
    const late = await add('late', { notBefore: Date.now() + 3_600_000, exclusiveKeys: ['bot:x'] });
    await add('now', { exclusiveKeys: ['bot:x'] });
    await gate.open('now');
    await settled();
    expect(gate.begun).toEqual(['now']);
    const soon = Date.now() + 100;
    await database.query
      .updateTable('work_items')
      .set({ not_before: soon })
      .where('id', '=', late.id)
      .execute();
    const begun = await reaches(late.id, 'RUNNING');
    expect(begun.startedAt).toBeGreaterThanOrEqual(soon);
    await gate.hasBegun('late');
    expect(gate.begun).toEqual(['now', 'late']);
  });

  describe('exclusive keys', () => {
    test('items with a common key run one after the other, in order, and others are not held up', async () => {
      start({ A: gated({ concurrency: 10 }), PROBE: probe });
      await add('x1', { exclusiveKeys: ['bot:x'] });
      await add('x2', { exclusiveKeys: ['bot:x'] });
      await add('x3', { exclusiveKeys: ['bot:x', 'bot:y'] });
      await add('y1', { exclusiveKeys: ['bot:y'] });
      await add('z1', { exclusiveKeys: ['bot:z'] });
      await add('free');
      await until('the free ones to run', () => gate.running.size === 3);
      await settled();
      expect(gate.begun).toEqual(['x1', 'z1', 'free']);
      await gate.open('x1');
      await gate.open('x2');
      await until('x3 to run', () => gate.running.has('x3'));
      await settled();
      expect(gate.running).not.toContain('y1');
      await gate.open('x3');
      await gate.open('y1');
    });

    test('a higher priority goes first in the line, but never beside what runs', async () => {
      start({ A: gated(), PROBE: probe });
      await add('running', { exclusiveKeys: ['slot'] });
      await until('it to run', () => gate.running.has('running'));
      await add('low', { exclusiveKeys: ['slot'] });
      await settled();
      await add('high', { exclusiveKeys: ['slot'], priority: 5 });
      await settled();
      expect(gate.begun).toEqual(['running']);
      await gate.open('running');
      await gate.open('high');
      await gate.open('low');
      expect(gate.begun).toEqual(['running', 'high', 'low']);
    });

    test('they hold between kinds, and the one behind starts without waiting for the next look', async () => {
      start({ A: gated(), B: gated() }, { pollEvery: 3_600_000 });
      await add('a', { exclusiveKeys: ['k'] });
      await queue.enqueue({ kind: 'B', name: 'b', exclusiveKeys: ['k'] });
      await gate.open('a');
      await gate.open('b');
    });

    test('a canceled item in the line lets those behind it through', async () => {
      start({ A: gated() }, { pollEvery: 3_600_000 });
      await add('one', { exclusiveKeys: ['j'] });
      const two = await add('two', { exclusiveKeys: ['j', 'k'] });
      await add('three', { exclusiveKeys: ['k'] });
      await until('one to run', () => gate.running.has('one'));
      await queue.cancel(two.id);
      await gate.open('three');
      await gate.open('one');
      expect(gate.begun).toEqual(['one', 'three']);
    });

    test('what is tried again keeps its place', async () => {
      const order: string[] = [];
      start({
        A: {
          concurrency: 3,
          afterCrash: 'resume',
          retryAfter: () => 100,
          run: async ({ name, attempt }) => {
            order.push(`${name} ${attempt}`);
            if (name === 'add' && attempt < 3) throw new BadRequest('not yet');
          },
        },
      });
      await add('add', { exclusiveKeys: ['document:1'] });
      await reaches((await add('delete', { exclusiveKeys: ['document:1'] })).id, 'FINISHED');
      expect(order).toEqual(['add 1', 'add 2', 'add 3', 'delete 1']);
    });

    test('two hundred items on seven keys: never two at once, always in order', async () => {
      const order = new Map<string, number[]>();
      const busy = new Set<string>();
      let clashes = 0;
      const run = async ({ payload }: WorkContext<{ keys: string[]; number: number }>) => {
        for (const key of payload.keys) {
          if (busy.has(key)) clashes += 1;
          busy.add(key);
          order.set(key, [...(order.get(key) ?? []), payload.number]);
        }
        await sleep(payload.number % 3);
        for (const key of payload.keys) busy.delete(key);
      };
      const last: WorkItem[] = [];
      for (let number = 0; number < 200; number += 1) {
        const keys = [`k${number % 7}`, `k${(number * 3) % 7}`];
        last.push(
          await add(`${number}`, { payload: { keys: [...new Set(keys)], number }, exclusiveKeys: keys }),
        );
      }
      start({ A: { concurrency: 6, afterCrash: 'resume', run } as WorkKind });
      await until('all to end', async () => (await queue.list({ states: ['FINISHED'] })).length === 200);
      expect(clashes).toBe(0);
      for (const numbers of order.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    });
  });

  describe('cancel', () => {
    test('reaches the handler, and what it says afterwards changes nothing', async () => {
      let release: (() => void) | undefined;
      let aborted = false;
      const stubborn: WorkKind = {
        afterCrash: 'resume',
        run: ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted = true;
            });
            release = () => resolve('too late');
          }),
      };
      start({ A: stubborn, B: gated() }, { pollEvery: 3_600_000 });
      const { id } = await add('a', { exclusiveKeys: ['slot'] });
      await until('the handler to begin', () => release);
      expect(await queue.cancel(id)).toMatchObject({ state: 'KILLED' });
      expect(aborted).toBe(true);
      await expect(queue.cancel(id)).rejects.toThrow(Conflict);
      // Its key is free only once the handler has returned.
      const next = await queue.enqueue({ kind: 'B', name: 'next', exclusiveKeys: ['slot'] });
      await sleep(100);
      expect((await queue.get(next.id)).state).toBe('CREATED');
      release?.();
      await gate.open('next');
      expect(await queue.get(id)).toMatchObject({ state: 'KILLED', result: null, error: null });
    });

    test('a handler that never returns holds its keys no longer than the grace', async () => {
      queue = createWorkQueue({ database, clock: systemClock, cancelGrace: 50 });
      start({ A: { afterCrash: 'resume', run: () => new Promise(() => {}) }, B: gated() }, { lease: 300 });
      const { id } = await add('a', { exclusiveKeys: ['slot'] });
      await reaches(id, 'RUNNING');
      await queue.cancel(id);
      await queue.enqueue({ kind: 'B', name: 'next', exclusiveKeys: ['slot'] });
      await gate.open('next');
      expect((await queue.get(id)).state).toBe('KILLED');
    });

    test('is seen also where no event tells of it', async () => {
      start({ A: gated() });
      const { id } = await add('a');
      await gate.hasBegun('a');
      await createWorkQueue({ database, clock: systemClock }).cancel(id);
      await until('the handler to stop', () => !gate.running.has('a'));
    });
  });

  describe('failure', () => {
    test('a problem is shown, any other error is not', async () => {
      start({
        A: {
          afterCrash: 'resume',
          run: async ({ name }) => {
            throw name === 'told' ? new BadRequest('the disk is full') : new Error('password=hunter2');
          },
        },
      });
      const told = await reaches((await add('told')).id, 'FAILED');
      const untold = await reaches((await add('untold')).id, 'FAILED');
      expect(told).toMatchObject({ error: 'the disk is full', attempts: 1, result: null });
      expect(untold.error).toBe(`This failed with an internal error; see the server log for ${untold.id}.`);
    });

    test('a result that is no JSON fails the item', async () => {
      start({ A: { afterCrash: 'resume', run: async () => 1n } });
      await reaches((await add('a')).id, 'FAILED');
    });

    test('is tried again as often as the kind says, and then final', async () => {
      const attempts: number[] = [];
      start({
        A: {
          afterCrash: 'resume',
          attempts: 3,
          retryAfter: (attempt) => attempt * 10,
          run: async ({ attempt }) => {
            attempts.push(attempt);
            throw new BadRequest('no');
          },
        },
      });
      expect(await reaches((await add('a')).id, 'FAILED')).toMatchObject({ error: 'no', attempts: 3 });
      expect(attempts).toEqual([1, 2, 3]);
    });
  });

  test('progress is seen while it runs, and the last of it stays', async () => {
    let report: WorkContext['report'] = () => {};
    const run = (context: WorkContext) => {
      report = context.report;
      return gate.run(context);
    };
    start({ A: gated({ run }) });
    const { id } = await add('a');
    await gate.hasBegun('a');
    report({ done: 1, total: 3, unit: 'files' });
    await until('the progress', async () => (await queue.get(id)).progress?.done === 1);
    report({ done: 3, total: 3, unit: 'files', speed: 12 });
    await gate.open('a');
    expect((await reaches(id, 'FINISHED')).progress).toEqual({ done: 3, total: 3, unit: 'files', speed: 12 });
  });

  describe('finish', () => {
    const note = (id: string) => ({
      id,
      name: id,
      prefix: '',
      hash: id,
      scopes: '[]',
      limits: '{}',
      created_at: 0,
    });
    const rows = () => database.query.selectFrom('api_keys').select('id').execute();

    test('what the work writes and its end are one commit, and the next one starts at once', async () => {
      start(
        {
          A: {
            afterCrash: 'resume',
            run: ({ name, finish }) =>
              finish(async (session) => {
                await session.query.insertInto('api_keys').values(note(name)).execute();
                return { stored: name };
              }),
          },
        },
        { pollEvery: 3_600_000 },
      );
      const one = await add('one', { exclusiveKeys: ['k'] });
      const two = await add('two', { exclusiveKeys: ['k'] });
      expect(await reaches(two.id, 'FINISHED')).toMatchObject({ result: { stored: 'two' } });
      expect((await queue.get(one.id)).state).toBe('FINISHED');
      expect(await rows()).toHaveLength(2);
    });

    test('of a killed item writes nothing', async () => {
      let tried = false;
      start({
        A: {
          afterCrash: 'resume',
          run: async ({ name, signal, finish }) => {
            await until('the cancel', () => signal.aborted);
            await finish((session) =>
              session.query.insertInto('api_keys').values(note(name)).execute(),
            ).finally(() => {
              tried = true;
            });
          },
        },
      });
      const { id } = await add('a');
      await reaches(id, 'RUNNING');
      await queue.cancel(id);
      await until('the handler to try', () => tried);
      expect(await rows()).toEqual([]);
      expect((await queue.get(id)).state).toBe('KILLED');
    });
  });

  describe('save', () => {
    test('what was saved is there for the next attempt, for others, and in the end', async () => {
      const kind: WorkKind = {
        afterCrash: 'resume',
        retryAfter: () => 0,
        async run({ attempt, saved, save }) {
          if (attempt > 1) return { saved };
          await save(
            async (session) => (await session.query.selectFrom('api_keys').select('id').execute()).length,
          );
          throw new Error('after the save');
        },
      };
      start({ A: kind });
      const { id } = await add('a');
      expect(await reaches(id, 'FINISHED')).toMatchObject({ attempts: 2, result: { saved: 0 } });
    });

    test('of a killed item throws and keeps nothing', async () => {
      let refusal: unknown;
      start({
        A: {
          afterCrash: 'resume',
          async run({ signal, save }) {
            await until('the cancel', () => signal.aborted);
            await save(async () => 'too late').catch((error: unknown) => {
              refusal = error;
            });
          },
        },
      });
      const { id } = await add('a');
      await reaches(id, 'RUNNING');
      await queue.cancel(id);
      await until('the refusal', () => refusal);
      expect(await queue.get(id)).toMatchObject({ state: 'KILLED', result: null });
    });
  });

  describe('stop', () => {
    test('what can be resumed goes back to the line, and runs again at the next start', async () => {
      const first = start({ A: gated() });
      const { id } = await add('a', { exclusiveKeys: ['k'] });
      await gate.hasBegun('a');
      await first.stop();
      expect(await queue.get(id)).toMatchObject({ state: 'CREATED', attempts: 0, error: null });
      start({ A: gated() });
      await gate.open('a');
      expect(await reaches(id, 'FINISHED')).toMatchObject({ attempts: 1 });
    });

    test('what can not may end in its grace, or fails with the reason', async () => {
      const runner = start({ A: gated({ afterCrash: 'fail' }) });
      const quick = await add('quick');
      await gate.hasBegun('quick');
      const stopped = runner.stop({ grace: 60_000 });
      await gate.open('quick');
      await stopped;
      expect(await queue.get(quick.id)).toMatchObject({ state: 'FINISHED' });
      const impatient = start({ A: gated({ afterCrash: 'fail' }) });
      const slow = await add('slow');
      await gate.hasBegun('slow');
      await impatient.stop({ grace: 100 });
      expect(await queue.get(slow.id)).toMatchObject({
        state: 'FAILED',
        error: 'The platform was stopped while this was running.',
      });
    });

    test('nothing new is started', async () => {
      await start({ A: gated() }).stop();
      const { id } = await add('a');
      await sleep(100);
      expect((await queue.get(id)).state).toBe('CREATED');
    });
  });

  test('ended items are removed once they are old enough', async () => {
    const ended = await add('ended');
    await queue.cancel(ended.id);
    await sleep(5);
    start({ A: gated({ keepEnded: 0 }), PROBE: probe });
    const kept = await queue.enqueue({ kind: 'PROBE', name: 'kept' });
    await until('it to go', async () => !(await queue.list()).some((item) => item.id === ended.id));
    expect((await reaches(kept.id, 'FINISHED')).id).toBe(kept.id);
  });

  test('where the last of each subject is kept, it stays however old', async () => {
    const first = await add('first', { subject: 'x' });
    const last = await add('last', { subject: 'x' });
    const other = await add('other', { subject: 'y' });
    for (const { id } of [first, last, other]) await queue.cancel(id);
    await sleep(5);
    start({ A: gated({ keepEnded: 0, keepLast: true }) });
    await until('the first to go', async () => !(await queue.list()).some((item) => item.id === first.id));
    expect((await queue.list()).map((item) => item.id)).toEqual([other.id, last.id]);
  });

  test('an item that it claimed without ever hearing of it is not lost', async () => {
    start({ A: gated() }, { lease: 3_000 });
    const known = await add('known');
    await reaches(known.id, 'RUNNING');
    const { runner } = await database.query
      .selectFrom('work_items')
      .select('runner')
      .where('id', '=', known.id)
      .executeTakeFirstOrThrow();
    const unheard = await add('unheard', { notBefore: Date.now() + 3_600_000 });
    // As after a claim that was committed while the connection broke.
    await database.query
      .updateTable('work_items')
      .set({ state: 'RUNNING', runner, claim: 1, attempts: 1, lease_until: Date.now() - 1 })
      .where('id', '=', unheard.id)
      .execute();
    await gate.open('unheard');
    expect(await reaches(unheard.id, 'FINISHED')).toMatchObject({ attempts: 2 });
    await gate.open('known');
  });

  test('whoever lost an item can not end it: the next holder does', async () => {
    start({ A: gated() });
    const { id } = await add('a');
    await gate.hasBegun('a');
    // As another process does that took it over.
    await database.query
      .updateTable('work_items')
      .set((row) => ({ runner: 'another', claim: row('claim', '+', 1), lease_until: Date.now() + 60_000 }))
      .where('id', '=', id)
      .execute();
    await until('the handler to stop', () => !gate.running.has('a'));
    await sleep(100);
    expect(await queue.get(id)).toMatchObject({ state: 'RUNNING', error: null });
  });
});
