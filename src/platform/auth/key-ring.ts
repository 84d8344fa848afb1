import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../contracts/clock.ts';
import type { Database } from '../database/database.ts';
import type { Authenticate, KeyHolder } from '../http/access.ts';
import type { Logger } from '../telemetry/logger.ts';
import { hashKey } from './key-format.ts';
import { listKeys, recordUse, revisionOfKeys } from './key-store.ts';

/** Keeps every valid key in memory, so that checking one needs no database query. */
export interface KeyRing {
  authenticate: Authenticate;
  /** Reloads the keys if they have changed; called right after a change in this process. */
  refresh(): Promise<void>;
  /** Stores the pending last-used times and stops polling for changes. */
  close(): Promise<void>;
}

interface Entry {
  hash: Buffer;
  expiresAt: number;
  holder: KeyHolder;
}

interface KeyRingOptions {
  database: Database;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds between polls for changes by other processes. A revoked key must stop working within a second. */
  lookEvery?: number;
}

const writeUsesEvery = 10_000;

export async function openKeyRing({
  database,
  clock,
  logger,
  lookEvery = 400,
}: KeyRingOptions): Promise<KeyRing> {
  let entries = new Map<string, Entry>();
  let revision = -1;
  const uses = new Map<string, number>();

  async function refresh(): Promise<void> {
    const current = await revisionOfKeys(database);
    if (current === revision) return;
    const keys = await listKeys(database);
    entries = new Map(keys.filter((key) => key.revokedAt === null).map((key) => [key.hash, toEntry(key)]));
    revision = current;
  }

  async function writeUses(): Promise<void> {
    const written = [...uses];
    uses.clear();
    for (const [id, at] of written) await recordUse(database, id, at);
  }

  const quietly = (work: () => Promise<void>) => () =>
    work().catch((error: unknown) =>
      logger.warn({ err: error }, 'could not read or update the keys in the database'),
    );
  const looking = setInterval(quietly(refresh), lookEvery).unref();
  const writing = setInterval(quietly(writeUses), writeUsesEvery).unref();

  await refresh();
  return {
    authenticate(presented) {
      const hash = hashKey(presented);
      const entry = entries.get(hash);
      if (!entry || !timingSafeEqual(entry.hash, Buffer.from(hash)) || entry.expiresAt <= clock.now())
        return undefined;
      uses.set(entry.holder.id, clock.now());
      return entry.holder;
    },
    refresh,
    async close() {
      clearInterval(looking);
      clearInterval(writing);
      await quietly(writeUses)();
    },
  };
}

function toEntry(key: Awaited<ReturnType<typeof listKeys>>[number]): Entry {
  const { id, name, owner, limits, pending } = key;
  const scopes = pending ? [] : key.scopes;
  return {
    hash: Buffer.from(key.hash),
    expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY,
    holder: Object.freeze({ kind: 'key', id, name, owner, scopes, limits, pending }),
  };
}
