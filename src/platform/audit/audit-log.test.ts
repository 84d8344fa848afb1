import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { type Actor, platformActor } from '../../contracts/actor.ts';
import type { AuditQuery } from '../../contracts/management/audit.ts';
import type { Database } from '../database/database.ts';
import { listAudit } from './list-audit.ts';
import { pruneAudit } from './prune-audit.ts';
import { type RecordedAction, recordAction } from './record-action.ts';

const portal: Actor = { kind: 'key', id: 'k1', name: 'портал', owner: 'Анна', requestId: 'req-1' };
const starter = platformActor('starter');

describeOnEachDatabase('the audit log', (databases) => {
  let database: Database;
  let now: number;
  const clock = { now: () => now };
  beforeEach(async () => {
    database = await openDatabase({ url: await databases.create() });
    now = Date.parse('2026-01-01T00:00:00Z');
  });
  afterEach(() => database.close());

  const add = (actor: Actor, action: RecordedAction) =>
    database.transaction((session) => recordAction({ session, clock }, actor, action));
  const list = (query: Partial<AuditQuery> = {}) => listAudit({ database }, { limit: 100, ...query });
  const subjects = async (query: Partial<AuditQuery> = {}) =>
    (await list(query)).entries.map(({ subject }) => subject);

  it('keeps who, what and when', async () => {
    await add(portal, {
      action: 'model.add',
      subject: 'org/one',
      details: { job: 'j' },
      outcome: 'accepted',
    });
    expect(await list()).toEqual({
      entries: [
        {
          id: expect.any(Number),
          at: '2026-01-01T00:00:00.000Z',
          actor: { kind: 'key', id: 'k1', name: 'портал', owner: 'Анна' },
          request_id: 'req-1',
          action: 'model.add',
          subject: 'org/one',
          details: { job: 'j' },
          outcome: 'accepted',
        },
      ],
      next: null,
    });
  });

  it('has no entry where the transaction rolls back', async () => {
    const failing = database.transaction(async (session) => {
      await recordAction({ session, clock }, portal, { action: 'key.revoke', subject: 'k2' });
      throw new Error('after the entry');
    });
    await expect(failing).rejects.toThrow('after the entry');
    expect(await subjects()).toEqual([]);
  });

  it('stores what databases and programs trip over', async () => {
    const names = [
      'constructor',
      '__proto__',
      'a\0b',
      "Robert'); drop table audit_log;--",
      '🚂'.repeat(5000),
    ];
    for (const name of names) {
      const actor: Actor = { ...portal, name, owner: name };
      await add(actor, { action: 'model.add', subject: name, details: { name } });
    }
    expect(await subjects()).toHaveLength(names.length);
    for (const name of names) {
      expect((await list({ subject: name })).entries).toHaveLength(1);
      expect((await list({ actor: name })).entries).toHaveLength(1);
    }
  });

  it('does not mix the platform with keys of that name', async () => {
    // Such keys may exist from before these names were reserved.
    await add({ ...portal, id: 'k2', name: 'platform' }, { action: 'model.add', subject: 'of a key' });
    await add(platformActor('starter'), { action: 'model.add', subject: 'of the platform' });
    const subjects = async (actor: string) => (await list({ actor })).entries.map(({ subject }) => subject);
    expect(await subjects('platform')).toEqual(['of the platform']);
    expect(await subjects('k2')).toEqual(['of a key']);
  });

  it('filters by action, actor, subject and time', async () => {
    await add(portal, { action: 'key.create', subject: 'one' });
    now += 1000;
    await add(starter, { action: 'deployment.start', subject: 'two' });
    now += 1000;
    await add({ kind: 'anonymous', requestId: null }, { action: 'model.add', subject: 'three' });
    expect(await subjects({ action: 'key.create' })).toEqual(['one']);
    expect(await subjects({ actor: 'k1' })).toEqual(['one']);
    expect(await subjects({ actor: 'портал' })).toEqual(['one']);
    expect(await subjects({ actor: 'platform' })).toEqual(['two']);
    expect(await subjects({ actor: 'platform:starter' })).toEqual(['two']);
    expect(await subjects({ actor: 'starter' })).toEqual([]);
    expect(await subjects({ actor: 'key' })).toEqual([]);
    expect(await subjects({ actor: 'anonymous' })).toEqual(['three']);
    expect(await subjects({ subject: 'two' })).toEqual(['two']);
    expect(await subjects({ since: '2026-01-01T00:00:01Z' })).toEqual(['three', 'two']);
    expect(await subjects({ until: '2026-01-01T00:00:01Z' })).toEqual(['one']);
    expect(await subjects({ since: '2026-01-01T03:00:01+03:00', until: '2026-01-01T00:00:02Z' })).toEqual([
      'two',
    ]);
    expect(await subjects({ actor: 'constructor' })).toEqual([]);
  });

  it('pages through concurrent writes without losing or repeating an entry', async () => {
    const written = Array.from({ length: 40 }, (_, index) => `model-${index}`);
    await Promise.all(written.map((subject) => add(portal, { action: 'model.add', subject })));
    const seen: string[] = [];
    let next: number | null | undefined;
    while (next !== null) {
      const page = await list({ limit: 7, ...(next === undefined ? {} : { before: next }) });
      seen.push(...page.entries.map(({ subject }) => subject));
      expect(page.entries.length).toBeLessThanOrEqual(7);
      await add(starter, { action: 'deployment.start', subject: 'meanwhile' });
      next = page.next;
    }
    expect(seen.filter((subject) => subject !== 'meanwhile').sort()).toEqual([...written].sort());
  });

  it('deletes in batches what is older than the retention, and nothing where that is 0', async () => {
    for (let index = 0; index < 7; index += 1) await add(portal, { action: 'model.add', subject: 'old' });
    now += 10_000;
    await add(portal, { action: 'model.add', subject: 'new' });
    expect(await pruneAudit({ database, clock, retention: 0, batch: 3 })).toBe(0);
    expect(await pruneAudit({ database, clock, retention: 5_000, batch: 3 })).toBe(7);
    expect(await subjects()).toEqual(['new']);
  });
});
