import { AsyncLocalStorage } from 'node:async_hooks';
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

export type DialectName = 'sqlite' | 'postgres';

/** What a store needs: the database itself or an open transaction. */
export interface Session {
  readonly dialect: DialectName;
  readonly query: Kysely<Tables>;
  /** Runs the action after the commit: immediately outside a transaction, never after a rollback. */
  afterCommit(action: () => void): void;
}

export interface Database extends Session {
  /** Whether no other process can have this database open (true for SQLite, because of the folder lock). */
  readonly exclusive: boolean;
  /** Removes what was deleted from the database's files. PostgreSQL's server does that in its own time. */
  scrub(): Promise<void>;
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface Connection {
  dialect: DialectName;
  exclusive: boolean;
  kysely: Kysely<Tables>;
  release(): void;
}

/**
 * Refuses direct use of the database inside a transaction. On SQLite such a query would deadlock, since it
 * waits for the transaction to end; on PostgreSQL it would silently run outside the transaction.
 */
export function createDatabase(connection: Connection): Database {
  const { dialect, exclusive, kysely } = connection;
  const scope = new AsyncLocalStorage<{ open: boolean }>();

  function refuseInsideTransaction(): void {
    if (scope.getStore()?.open) {
      throw new Error('Inside a transaction, use the session passed to it, not the database.');
    }
  }

  return {
    dialect,
    exclusive,
    get query() {
      refuseInsideTransaction();
      return kysely;
    },
    afterCommit(action) {
      action();
    },
    async transaction(work) {
      refuseInsideTransaction();
      const actions: (() => void)[] = [];
      const current = { open: true };
      try {
        const result = await kysely
          .transaction()
          .execute((query) =>
            scope.run(current, () =>
              work({ dialect, query, afterCommit: (action) => void actions.push(action) }),
            ),
          );
        current.open = false;
        for (const action of actions) action();
        return result;
      } finally {
        current.open = false;
      }
    },
    async scrub() {
      refuseInsideTransaction();
      // Deleted content is overwritten in the database; the log still has it until it is emptied.
      if (dialect === 'sqlite') await sql`pragma wal_checkpoint(TRUNCATE)`.execute(kysely);
    },
    async close() {
      await kysely.destroy();
      connection.release();
    },
  };
}
