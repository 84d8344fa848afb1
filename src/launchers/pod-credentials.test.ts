import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTemporaryDatabase } from '../../test/testkit/stores/open-database.ts';
import { until } from '../../test/testkit/until.ts';
import { systemClock } from '../contracts/clock.ts';
import { type KeyRing, openKeyRing } from '../platform/auth/key-ring.ts';
import { listKeys } from '../platform/auth/key-store.ts';
import type { Database } from '../platform/database/database.ts';
import { silentLogger } from '../platform/telemetry/logger.ts';
import { PodCredentials } from './pod-credentials.ts';

const logger = silentLogger();
let database: Database;
let ring: KeyRing;
let elsewhere: KeyRing;
beforeEach(async () => {
  database = await openTemporaryDatabase();
  ring = await openKeyRing({ database, clock: systemClock, logger });
  elsewhere = await openKeyRing({ database, clock: systemClock, logger, lookEvery: 5 });
});
afterEach(async () => {
  await ring.close();
  await elsewhere.close();
  await database.close();
});
const credentials = (configuredKey?: string) =>
  new PodCredentials({ database, clock: systemClock, ring, logger, configuredKey });
const scopesOf = (key = '') => elsewhere.authenticate(key)?.scopes;

it('makes a key that can only report, keeps its hash alone, and forgets it', async () => {
  const made = credentials();
  const { ROUNDHOUSE_POD_KEY: key, ROUNDHOUSE_POD_SECRET: secret } = made.issue('p');
  await until('the key is known', () => scopesOf(key)?.[0] === 'pods');
  expect(secret).toBe(made.secretOf('p'));
  expect(JSON.stringify(await listKeys(database))).not.toContain(key);
  await made.forget('p');
  await until('the key is unknown', () => scopesOf(key) === undefined);
  expect(await listKeys(database)).toEqual([]);
});

it('a pod that is started again has another key', async () => {
  const made = credentials();
  const first = made.issue('p').ROUNDHOUSE_POD_KEY;
  const second = made.issue('p').ROUNDHOUSE_POD_KEY;
  await until('the new key is known', () => scopesOf(second) !== undefined);
  expect(scopesOf(first)).toBeUndefined();
  await made.forget('p');
});

it('the keys of an earlier run are forgotten', async () => {
  const { ROUNDHOUSE_POD_KEY: key } = credentials().issue('p');
  await until('the key is known', () => scopesOf(key) !== undefined);
  credentials().forgetEarlier();
  await until('the key is unknown', () => scopesOf(key) === undefined);
});

it('a key that is configured is passed on, and not stored', async () => {
  expect(credentials('rh-theirs').issue('p').ROUNDHOUSE_POD_KEY).toBe('rh-theirs');
  expect(await listKeys(database)).toEqual([]);
});
