import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/contracts/clock.ts';
import type { Database } from '../src/platform/database/database.ts';
import { createWorkRunner } from '../src/platform/queue/running/work-runner.ts';
import type { WorkItem } from '../src/platform/queue/work-item.ts';
import { createWorkQueue } from '../src/platform/queue/work-queue.ts';
import { silentLogger } from '../src/platform/telemetry/logger.ts';
import { type RunningDispatcher, startDispatcher } from './testkit/dispatcher.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { startMockPod } from './testkit/pods/mock-pod.ts';
import { requirement } from './testkit/requirement.ts';
import { openDatabase } from './testkit/stores/open-database.ts';
import { type PostgresServer, postgresBinaries, startPostgres } from './testkit/stores/postgres.ts';
import { until } from './testkit/until.ts';

const postgres = await requirement('postgresql', () => postgresBinaries() !== null);

describe.runIf(postgres.available)('while PostgreSQL is away', () => {
  let server: PostgresServer;
  let halted = false;
  const halt = async () => {
    halted = true;
    await server.halt();
  };
  const resume = async () => {
    await server.resume();
    halted = false;
  };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    if (halted) await resume();
  });
  afterAll(() => server.stop());

  it('work that ends meanwhile keeps its outcome, and work that needed the database runs again', async () => {
    const database = await openDatabase({ url: await server.createDatabase() });
    const queue = createWorkQueue({ database, clock: systemClock });
    const gates = new Map<string, () => void>();
    const gate = (name: string) => new Promise<void>((resolve) => void gates.set(name, resolve));
    const asks = async (session: Pick<Database, 'query'>) =>
      session.query.selectFrom('work_items').select('id').execute();
    const kind = { afterCrash: 'resume', concurrency: 3 } as const;
    const runner = createWorkRunner({
      database,
      queue,
      clock: systemClock,
      logger: silentLogger(),
      pollEvery: 50,
      lease: 2_000,
      kinds: {
        RETURNS: {
          ...kind,
          afterCrash: 'fail',
          run: async () => gate('RETURNS').then(() => 'kept'),
        },
        FINISHES: {
          ...kind,
          afterCrash: 'fail',
          run: async ({ finish }) =>
            gate('FINISHES').then(() => finish((session) => asks(session as Database))),
        },
        ASKS: {
          ...kind,
          run: async ({ attempt }) => {
            if (!gates.has('ASKS')) await gate('ASKS');
            await asks(database);
            return attempt;
          },
        },
      },
    });
    runner.start();
    const items: WorkItem[] = [];
    for (const name of ['RETURNS', 'FINISHES', 'ASKS']) items.push(await queue.enqueue({ kind: name, name }));
    await until('all to run', () => gates.size === 3);
    await halt();
    for (const open of gates.values()) open();
    // Longer than the lease: nobody else can have taken the work over either.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await resume();
    const ended = await until('all to end', async () => {
      const found = await Promise.all(items.map(({ id }) => queue.get(id)));
      return found.every(({ state }) => !['CREATED', 'RUNNING'].includes(state)) && found;
    });
    expect(ended.map(({ state }) => state)).toEqual(['FINISHED', 'FINISHED', 'FINISHED']);
    expect(ended[0]?.result).toBe('kept');
    await runner.stop();
    await database.close();
  });

  it('a dispatcher goes on sending requests to pods that report to another one', async () => {
    const url = await server.createDatabase();
    const pod = await startMockPod();
    const dispatchers: RunningDispatcher[] = [];
    for (let count = 0; count < 2; count++) {
      dispatchers.push(await startDispatcher({ config: { database: { url }, pods: { ttl: '5s' } } }));
    }
    const [one, other] = dispatchers as [RunningDispatcher, RunningDispatcher];
    try {
      await one.report({ pod_id: 'shared', model_name: 'mock', pod_address: pod.url });
      await until('the other to know the pod', async () => (await other.chat()).status === 200);
      await halt();
      const end = Date.now() + 12_000;
      while (Date.now() < end) {
        expect((await other.chat()).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await pod.kill();
      await until('a pod that is gone to be noticed', async () => {
        const [record] = await other.pods();
        return record?.live === false;
      });
    } finally {
      await resume();
      for (const dispatcher of dispatchers) await dispatcher.close();
    }
  });

  it('the platform says 503 with Retry-After, and recovers by itself', async () => {
    const url = await server.createDatabase();
    const platform: RunningPlatform = await startPlatform({ env: { ROUNDHOUSE_DATABASE_URL: url } });
    try {
      const ask = () => fetch(`${platform.url}/api/v1/jobs/`);
      expect((await ask()).status).toBe(200);
      await halt();
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect((await fetch(`${platform.url}/readyz`)).status).toBe(503);
      await resume();
      await until('it to be back', async () => (await ask()).status === 200);
    } finally {
      await platform.stop();
    }
  });
});
