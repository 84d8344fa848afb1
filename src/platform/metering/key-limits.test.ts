import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { burst, enter, holder, mustEnter } from '../../../test/testkit/stores/metering.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { until } from '../../../test/testkit/until.ts';
import type { Problem } from '../../contracts/problems.ts';
import type { Database } from '../database/database.ts';
import { anonymous } from '../http/access.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { type Metering, openMetering } from './open-metering.ts';
import { addUsage, listUsage } from './usage/usage-store.ts';

describeOnEachDatabase('limits per key', (databases) => {
  let now: number;
  let database: Database;
  let metering: Metering;
  const open = () =>
    openMetering({ database, clock: { now: () => now }, logger: silentLogger(), leases: { sweepEvery: 50 } });

  beforeEach(async () => {
    now = Date.parse('2026-05-10T10:00:10Z');
    database = await openDatabase({ url: await databases.create() });
    metering = await open();
  });
  afterEach(async () => {
    await metering.close();
    await database.close();
  });

  it('requests per minute: exactly as many as allowed, and again in the next minute', async () => {
    const caller = holder({ requests_per_minute: 50 });
    expect(await burst(metering.limits, caller, 200)).toBe(50);
    expect(await burst(metering.limits, caller, 10)).toBe(0);
    now += 50_000;
    expect(await burst(metering.limits, caller, 60)).toBe(50);
  });

  it('429 says when to come back, in the headers that OpenAI’s clients read', async () => {
    const caller = holder({ requests_per_minute: 1 });
    await mustEnter(metering.limits, caller);
    expect((await metering.limits.enter(caller, {})) as Problem).toMatchObject({
      status: 429,
      retryAfter: 50,
      message: 'this key is limited to 1 requests per minute',
      headers: {
        'x-ratelimit-limit-requests': '1',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '50s',
      },
    });
  });

  it('parallel requests: a place is free again at the end of its request', async () => {
    const caller = holder({ parallel_requests: 2 });
    const [first] = [await mustEnter(metering.limits, caller), await mustEnter(metering.limits, caller)];
    expect(await enter(metering.limits, caller)).toBe(429);
    first.settle({});
    first.settle({});
    await mustEnter(metering.limits, caller);
    expect(await enter(metering.limits, caller)).toBe(429);
  });

  it.each([1e19, 1e308, Number.POSITIVE_INFINITY, Number.NaN, -1e9, 0.5])(
    'an estimate of %s neither breaks the counting nor lasts',
    async (tokens) => {
      const caller = holder({ requests_per_minute: 3, tokens_per_month: 1e9 });
      for (let count = 0; count < 3; count++) {
        const entrance = await metering.limits.enter(caller, { tokens });
        expect(entrance).not.toBeInstanceOf(Error);
        (entrance as { settle(used: object): void }).settle({ tokens: count === 2 ? tokens : 1 });
      }
      expect(await burst(metering.limits, caller, 20)).toBe(0);
      expect(await burst(metering.limits, holder({ requests_per_minute: 5 }, 'other'), 20)).toBe(5);
    },
  );

  it('a refused request holds nothing', async () => {
    const caller = holder({ parallel_requests: 1, requests_per_minute: 2 });
    (await mustEnter(metering.limits, caller)).settle({});
    const second = await mustEnter(metering.limits, caller);
    expect(await enter(metering.limits, caller)).toBe(429);
    second.settle({});
    expect(await enter(metering.limits, caller)).toBe(429);
    now += 60_000;
    await mustEnter(metering.limits, caller);
  });

  it('tokens: estimates are reserved, and replaced by what was used', async () => {
    const caller = holder({ tokens_per_minute: 100 });
    const [first, second] = [
      await mustEnter(metering.limits, caller, { tokens: 60 }),
      await mustEnter(metering.limits, caller, { tokens: 60 }),
    ];
    expect(await enter(metering.limits, caller, { tokens: 1 })).toBe(429);
    first.settle({ tokens: 10 });
    second.settle({ tokens: 15 });
    (await mustEnter(metering.limits, caller, { tokens: 5 })).settle({ tokens: 74 });
    const last = await mustEnter(metering.limits, caller, { tokens: 5 });
    expect(await enter(metering.limits, caller)).toBe(429);
    last.settle({ tokens: 500 });
    expect(await enter(metering.limits, caller)).toBe(429);
    now += 60_000;
    await mustEnter(metering.limits, caller);
  });

  it('a month that is used up begins anew with the next, without a restart', async () => {
    const caller = holder({ tokens_per_month: 100 });
    (await mustEnter(metering.limits, caller, { tokens: 10 })).settle({ tokens: 150 });
    expect(await enter(metering.limits, caller)).toBe(429);
    now = Date.parse('2026-05-31T23:59:59Z');
    expect(await enter(metering.limits, caller)).toBe(429);
    now = Date.parse('2026-06-01T00:00:00Z');
    (await mustEnter(metering.limits, caller)).settle({ tokens: 150 });
    expect(await enter(metering.limits, caller)).toBe(429);
  });

  it('a month counts what was used before a restart', async () => {
    const caller = holder({ tokens_per_month: 100 });
    metering.usage.record('key-1', 'm', 'p', false, 80, 40);
    (await mustEnter(metering.limits, caller)).settle({ tokens: 120 });
    await metering.close();
    metering = await open();
    expect(await enter(metering.limits, caller)).toBe(429);
    expect(await enter(metering.limits, holder({ tokens_per_month: 100 }, 'key-2'))).not.toBe(429);
  });

  it('a request that ends in another minute is settled there', async () => {
    const caller = holder({ tokens_per_minute: 100 });
    const long = await mustEnter(metering.limits, caller, { tokens: 10 });
    now += 60_000;
    long.settle({ tokens: 200 });
    expect(await enter(metering.limits, caller)).toBe(429);
    now += 60_000;
    await mustEnter(metering.limits, caller);
  });

  it('keys without limits and callers without keys are not counted', async () => {
    expect(metering.limits.enter(anonymous, { model: 'm' })).toBe(metering.limits.enter(holder({}), {}));
    expect(metering.threads.rowOf(holder({}))).toBe(-1);
  });

  it('403 for a model that the key may not name', async () => {
    const caller = holder({ models: ['a'] });
    expect(await enter(metering.limits, caller, { model: 'b' })).toBe(403);
    await mustEnter(metering.limits, caller, { model: 'a' });
  });

  it('a worker that ends gives back the places of its requests', async () => {
    const caller = holder({ parallel_requests: 1 });
    await mustEnter(metering.limits, caller);
    expect(await enter(metering.limits, caller)).toBe(429);
    metering.threads.ended(0);
    await until('the place is free', async () => typeof (await enter(metering.limits, caller)) !== 'number');
  });

  it('usage is listed by day, key and model', async () => {
    const entry = {
      key: 'k',
      model: 'm',
      requests: 2,
      failures: 1,
      prompt_tokens: 10,
      completion_tokens: 5,
      pages: 0,
    };
    await addUsage(database, [{ ...entry, pod: 'a' }], '2026-05-01');
    const pods = [
      { ...entry, pod: 'a' },
      { ...entry, pod: 'b' },
      { ...entry, pod: 'b', model: 'n' },
    ];
    await addUsage(database, pods, '2026-05-02');
    await addUsage(database, [{ ...entry, pod: 'a', key: 'other' }], '2026-05-03');
    const doubled = { requests: 4, failures: 2, prompt_tokens: 20, completion_tokens: 10, pages: 0 };
    expect(await listUsage(database, { from: '2026-05-02', to: '2026-05-03' })).toEqual([
      { day: '2026-05-02', ...entry, ...doubled },
      { day: '2026-05-02', ...entry, model: 'n' },
      { day: '2026-05-03', ...entry, key: 'other' },
    ]);
    const filter = { from: '2026-05-01', to: '2026-05-31', key: 'k', model: 'm' };
    expect(await listUsage(database, filter)).toHaveLength(2);
  });
});
