import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { platformActor } from '../../contracts/actor.ts';
import type { Clock } from '../../contracts/clock.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Database } from '../database/database.ts';
import { StartupError } from '../startup-error.ts';
import { generateKey, hashKey, looksLikeKey, prefixOf } from './key-format.ts';
import { findKey, insertKey, replaceHash } from './key-store.ts';

/** The key that the platform makes for itself has this id in every database. */
export const adminKeyId = 'admin';

interface AdminKeyOptions {
  database: Database;
  clock: Clock;
  dataDir: string;
  /** ROUNDHOUSE_ADMIN_TOKEN. */
  configured?: string | undefined;
}

export interface AdminKey {
  /** The key itself, where it was made just now. */
  generated?: string;
  /** Whether the configuration names it; then no file does. */
  configured: boolean;
  file: string;
}

/** Makes an admin key where there is none, and takes up one that was configured. */
export async function ensureAdminKey(options: AdminKeyOptions): Promise<AdminKey> {
  const configured = options.configured !== undefined;
  const file = adminKeyFile(options.dataDir);
  const known = options.configured ?? readAdminKey(file);
  const stored = await findKey(options.database, adminKeyId);
  if (known !== undefined) {
    await store(options, known, stored?.hash);
    return { file, configured };
  }
  // Another data folder on the same database: its admin key is in force, and only its hash is known here.
  if (stored) return { file, configured };
  const generated = generateKey();
  // The file first: a kill in between leaves a key that the next start takes up, never one that nobody holds.
  writeAdminKey(file, generated);
  await store(options, generated, undefined);
  return { generated, file, configured };
}

export const adminKeyFile = (dataDir: string) => join(dataDir, 'admin-token');

/** The admin key in the file, if there is one. */
export function readAdminKey(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  if (looksLikeKey(text)) return text;
  throw new StartupError(
    `${file} does not hold an admin key (expected rh- and 40 letters or digits): put it back, or delete the file and make a key with "roundhouse keys create --scope admin"`,
  );
}

function writeAdminKey(file: string, key: string): void {
  const partial = `${file}.partial`;
  const handle = openSync(partial, 'w', 0o600);
  writeSync(handle, `${key}\n`);
  fsyncSync(handle);
  closeSync(handle);
  chmodSync(partial, 0o600);
  renameSync(partial, file);
}

async function store(
  { database, clock }: AdminKeyOptions,
  key: string,
  storedHash: string | undefined,
): Promise<void> {
  const hash = hashKey(key);
  if (storedHash === hash) return;
  await database.transaction(async (session) => {
    const replaces = storedHash !== undefined;
    if (replaces) await replaceHash(session, adminKeyId, hash, prefixOf(key));
    else await insertKey(session, { ...firstKey, prefix: prefixOf(key), hash, createdAt: clock.now() });
    await recordAction({ session, clock }, platformActor('admin token'), {
      action: replaces ? 'key.replace' : 'key.create',
      subject: adminKeyId,
      details: { name: firstKey.name, scopes: firstKey.scopes },
    });
  });
}

const firstKey = {
  id: adminKeyId,
  name: 'admin',
  owner: null,
  scopes: ['admin' as const],
  limits: {},
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};
