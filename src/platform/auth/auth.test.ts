import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { describeOnEachDatabase } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { until } from '../../../test/testkit/until.ts';
import { platformActor } from '../../contracts/actor.ts';
import { systemClock } from '../../contracts/clock.ts';
import type { Database } from '../database/database.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { type KeyRing, openKeyRing } from './key-ring.ts';
import { adminKeyWasSeen, ensureAdminKey } from './keys/admin-key.ts';
import { createKey } from './keys/create-key.ts';
import { describeKeys } from './keys/describe-keys.ts';
import { revokeKey } from './keys/revoke-key.ts';

describeOnEachDatabase('keys', (databases) => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const item of opened.splice(0).reverse()) await item.close();
  });

  async function open() {
    const database = await openDatabase({ url: await databases.create() });
    opened.push(database);
    return database;
  }
  async function ringOn(database: Database, lookEvery = 60_000, clock = systemClock): Promise<KeyRing> {
    const ring = await openKeyRing({ database, clock, logger: silentLogger(), lookEvery });
    opened.push(ring);
    return ring;
  }
  const actor = platformActor('test');
  const request = {
    name: 'портал',
    owner: 'Анна',
    scopes: ['inference' as const],
    limits: { parallel_requests: 2 },
  };

  it('a new key works at once, is stored only as a hash, and is shown once', async () => {
    const database = await open();
    const ring = await ringOn(database);
    const { key, ...described } = await createKey({ database, clock: systemClock, ring }, actor, request);
    expect(key).toMatch(/^rh-[A-Za-z0-9]{40}$/);
    expect(ring.authenticate(key)).toMatchObject({
      name: 'портал',
      owner: 'Анна',
      limits: { parallel_requests: 2 },
    });
    expect(await describeKeys({ database })).toEqual([described]);
    expect(JSON.stringify(await database.query.selectFrom('api_keys').selectAll().execute())).not.toContain(
      key,
    );
    expect(ring.authenticate(`${key}x`)).toBeUndefined();
  });

  it('a key that another process revokes stops working without a restart here', async () => {
    const database = await open();
    const here = await ringOn(database, 20);
    const { key, id } = await createKey({ database, clock: systemClock }, actor, request);
    await until('the new key to be known', () => here.authenticate(key));
    await revokeKey({ database, clock: systemClock }, actor, id);
    await until('the key to stop working', () => !here.authenticate(key));
  });

  it('revoking an unknown key is 404, one revoked before or the admin key 409', async () => {
    const database = await open();
    const deps = { database, clock: systemClock };
    const { id } = await createKey(deps, actor, request);
    expect((await revokeKey(deps, actor, id)).revoked_at).not.toBeNull();
    await expect(revokeKey(deps, actor, id)).rejects.toMatchObject({ status: 409 });
    await expect(revokeKey(deps, actor, 'nobody')).rejects.toMatchObject({ status: 404 });
    await ensureAdminKey({ ...deps, dataDir: mkdtempSync(join(tmpdir(), 'roundhouse-auth-')) });
    await expect(revokeKey(deps, actor, 'admin')).rejects.toMatchObject({ status: 409 });
  });

  it('an expired key is refused, and the last use is kept', async () => {
    const database = await open();
    let now = Date.parse('2026-01-01T00:00:00Z');
    const clock = { now: () => now };
    const ring = await ringOn(database, 60_000, clock);
    const { key } = await createKey({ database, clock, ring }, actor, {
      ...request,
      expires_at: '2026-01-02T00:00:00Z',
    });
    expect(ring.authenticate(key)).toBeDefined();
    now = Date.parse('2026-01-02T00:00:00Z');
    expect(ring.authenticate(key)).toBeUndefined();
    await ring.close();
    expect((await describeKeys({ database }))[0]?.last_used_at).toBe('2026-01-01T00:00:00.000Z');
  });

  it('the first start makes an admin key that later starts keep, and hand out until it was seen', async () => {
    const database = await open();
    const dataDir = mkdtempSync(join(tmpdir(), 'roundhouse-auth-'));
    const deps = { database, clock: systemClock, dataDir };
    const first = await ensureAdminKey(deps);
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(first.file, 'utf8').trim()).toBe(first.unseen);
    const again = await ensureAdminKey(deps);
    expect(again.unseen).toBe(first.unseen);
    adminKeyWasSeen(again);
    expect((await ensureAdminKey(deps)).unseen).toBeUndefined();
    const ring = await ringOn(database);
    expect(ring.authenticate(first.unseen ?? '')).toMatchObject({ id: 'admin', scopes: ['admin'] });
  });

  it('a configured admin key replaces the generated one; another data folder does not', async () => {
    const database = await open();
    const deps = { database, clock: systemClock, dataDir: mkdtempSync(join(tmpdir(), 'roundhouse-auth-')) };
    const { unseen = '' } = await ensureAdminKey(deps);
    const elsewhere = await ensureAdminKey({
      ...deps,
      dataDir: mkdtempSync(join(tmpdir(), 'roundhouse-auth-')),
    });
    expect(elsewhere.unseen).toBeUndefined();
    await ensureAdminKey({ ...deps, configured: 'my-own-admin-token' });
    const ring = await ringOn(database);
    expect(ring.authenticate('my-own-admin-token')).toBeDefined();
    expect(ring.authenticate(unseen)).toBeUndefined();
  });

  it('a corrupt admin-token file is refused in words and left as it is', async () => {
    const database = await open();
    const dataDir = mkdtempSync(join(tmpdir(), 'roundhouse-auth-'));
    const file = join(dataDir, 'admin-token');
    writeFileSync(file, 'garbage');
    chmodSync(file, 0o600);
    await expect(ensureAdminKey({ database, clock: systemClock, dataDir })).rejects.toThrow(
      /does not contain an admin key/,
    );
    expect(readFileSync(file, 'utf8')).toBe('garbage');
  });
});
