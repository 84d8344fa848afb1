import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../contracts/clock.ts';
import type { Database } from '../database/database.ts';
import type { Authenticate, KeyHolder } from '../http/access.ts';
import type { Logger } from '../telemetry/logger.ts';
import { hashKey } from './key-format.ts';
import { listKeys, recordUse, revisionOfKeys } from './key-store.ts';

/** Every usable key in memory, so that checking one touches no database. */
export interface KeyRing {
  authenticate: Authenticate;
  /** Takes up a change made in this process at once. */
  refresh(): Promise<void>;
  /** Writes down the last uses that are not yet stored, and stops looking for changes. */
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
  /** How soon a change made by another process is seen. A revoked key must stop working within a second. */
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
      logger.warn({ err: error }, 'the keys in the database could not be reached'),
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
  const { id, name, owner, scopes, limits } = key;
  return {
    hash: Buffer.from(key.hash),
    expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY,
    holder: Object.freeze({ kind: 'key', id, name, owner, scopes, limits }),
  };
}
