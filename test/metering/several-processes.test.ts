import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/contracts/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { LeaseSettings } from '../../src/platform/metering/leases/open-leases.ts';
import { type Metering, openMetering } from '../../src/platform/metering/open-metering.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { describeOnPostgres } from '../testkit/stores/databases.ts';
import { burst, enter, holder, mustEnter } from '../testkit/stores/metering.ts';
import { openDatabase } from '../testkit/stores/open-database.ts';
import { until } from '../testkit/until.ts';

/** Meterings with a connection pool each, as processes have them. The clock stands still, so no minute turns. */
describeOnPostgres('limits that several processes share', (databases) => {
  let now: number;
  let url: string;
  const opened: (() => unknown)[] = [];

  async function join(settings: Partial<LeaseSettings> = {}, through = url): Promise<Metering> {
    const database: Database = await openDatabase({ url: through });
    const metering = await openMetering({
      database,
      clock: { now: () => now },
      logger: silentLogger(),
      leases: { sweepEvery: 50, ...settings },
    });
    opened.push(
      () => metering.close(),
      () => database.close(),
    );
    return metering;
  }

  beforeEach(async () => {
    now = systemClock.now();
    url = await databases.create();
  });
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  it('requests per minute: bursts at three of them, exactly the limit in total', async () => {
    const all = [await join(), await join(), await join()];
    for (const limit of [1, 20, 500]) {
      const caller = holder({ requests_per_minute: limit }, `key-${limit}`);
      const counts = await Promise.all(all.map(({ limits }) => burst(limits, caller, limit)));
      let total = counts.reduce((sum, count) => sum + count);
      // What one has leased ahead it may still use, or return; then it is used up everywhere.
      expect(total).toBeLessThanOrEqual(limit);
      await until('all of it is used', async () => {
        for (const { limits } of all) total += await burst(limits, caller, 5);
        return total >= limit;
      });
      for (const { limits } of all) expect(await burst(limits, caller, 5)).toBe(0);
      expect(total).toBe(limit);
    }
  });

  it('one alone gets the whole limit, also what another had leased and not used', async () => {
    const [one, other] = [await join(), await join()];
    const caller = holder({ requests_per_minute: 500 });
    await mustEnter(other.limits, caller);
    let total = 0;
    await until('it has all but one', async () => {
      total += await burst(one.limits, caller, 100);
      return total >= 499;
    });
    expect(total).toBe(499);
  });

  it('parallel requests: a place that one gives back is free for the other', async () => {
    const [one, other] = [await join(), await join()];
    const caller = holder({ parallel_requests: 3 });
    const held = [await mustEnter(one.limits, caller), await mustEnter(one.limits, caller)];
    const third = await mustEnter(other.limits, caller);
    expect([await enter(one.limits, caller), await enter(other.limits, caller)]).toEqual([429, 429]);
    held[0]?.settle({});
    await mustEnter(other.limits, caller);
    expect(await enter(one.limits, caller)).toBe(429);
    third.settle({});
    await mustEnter(one.limits, caller);
    expect(await enter(other.limits, caller)).toBe(429);
  });

  it('parallel requests: never more than allowed while they come and go', async () => {
    const all = [await join(), await join()];
    const caller = holder({ parallel_requests: 4 });
    let [running, most, entered] = [0, 0, 0];
    const visit = async ({ limits }: Metering) => {
      const entrance = await enter(limits, caller);
      if (typeof entrance === 'number') return;
      entered++;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      entrance.settle({});
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 12 }, (_, n) => visit(all[n % 2] as Metering)));
    }
    expect(most).toBeLessThanOrEqual(4);
    // Places come back: more got in than there are places.
    expect(entered).toBeGreaterThan(8);
  });

  it('tokens: what one uses beyond its estimate, the other sees', async () => {
    const [one, other] = [await join(), await join()];
    for (const limits of [{ tokens_per_minute: 100 }, { tokens_per_month: 100 }]) {
      const caller = holder(limits, Object.keys(limits)[0]);
      const visit = await mustEnter(one.limits, caller, { tokens: 10 });
      (await mustEnter(other.limits, caller, { tokens: 10 })).settle({ tokens: 10 });
      visit.settle({ tokens: 90 });
      await until('it is used up', async () => {
        const entrance = await enter(other.limits, caller, { tokens: 1 });
        if (typeof entrance !== 'number') entrance.settle({});
        return entrance === 429;
      });
      expect(await enter(one.limits, caller)).toBe(429);
    }
  });

  it('places of a process that stops renewing them come back', async () => {
    const silent = await join({ heartbeat: 3_600_000, lifetime: 300 });
    const other = await join({ heartbeat: 50 });
    const caller = holder({ parallel_requests: 1 });
    await mustEnter(silent.limits, caller);
    expect(await enter(other.limits, caller)).toBe(429);
    await until('the place is free', async () => (await enter(other.limits, caller)) !== 429);
  });

  it('a process that was taken for dead takes its places again', async () => {
    const slow = await join({ heartbeat: 700, lifetime: 200 });
    const other = await join({ heartbeat: 50 });
    const caller = holder({ parallel_requests: 1 });
    const visit = await mustEnter(slow.limits, caller);
    await until('its place was freed and taken', async () => {
      const entrance = await enter(other.limits, caller);
      if (typeof entrance !== 'number') entrance.settle({});
      return typeof entrance !== 'number';
    });
    await until('it is back', async () => {
      const entrance = await enter(other.limits, caller);
      if (typeof entrance !== 'number') entrance.settle({});
      return entrance === 429;
    });
    visit.settle({});
    await until('the place is free', async () => (await enter(other.limits, caller)) !== 429);
  });

  it('while the database is away each counts alone, for a while; then it refuses; then all is as before', async () => {
    const relay = await startRelay(url);
    opened.push(relay.cut);
    const cut = await join({ grace: 1500, patience: 500 }, relay.url);
    const other = await join();
    const caller = holder({ requests_per_minute: 10, parallel_requests: 5 });
    for (let n = 0; n < 4; n++) (await mustEnter(cut.limits, caller)).settle({});
    await relay.cut();
    (await mustEnter(cut.limits, caller)).settle({});
    expect(await enter(other.limits, caller)).not.toBe(429);
    await until('its grace is over', async () => {
      const entrance = await enter(cut.limits, caller);
      if (typeof entrance !== 'number') entrance.settle({});

      return entrance === 503;
    });

    await relay.restore();
    now += 60_000;
    await until('it counts with the others again', async () => {
      const entrance = await enter(cut.limits, caller);
      if (typeof entrance !== 'number') entrance.settle({});
      return typeof entrance !== 'number';
    });
  });
});

/** A way to the database that can be cut and restored. */
async function startRelay(target: string) {
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let server: Server;
  let listening = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const restore = () =>
    new Promise<void>((resolve) => {
      server = createServer((socket) => {
        const inner = keep(connect(Number(port), hostname));
        keep(socket).pipe(inner).pipe(socket);
      }).listen(listening, '127.0.0.1', () => {
        listening = (server.address() as { port: number }).port;
        resolve();
      });
    });
  await restore();
  return {
    url: `postgres://roundhouse@127.0.0.1:${listening}${pathname}`,
    restore,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
