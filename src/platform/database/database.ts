import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type DialectName = 'sqlite' | 'postgres';

/** What a store needs: either the database itself, or one open transaction on it. */
export interface Session {
  readonly dialect: DialectName;
  readonly query: Kysely<Tables>;
  /** Runs once what was written so far is durable: at once outside a transaction, never after a rollback. */
  afterCommit(action: () => void): void;
}

export interface Database extends Session {
  /** No other process can have this database open (SQLite, by the folder lock). */
  readonly exclusive: boolean;
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
 * On SQLite a query beside an open transaction waits for it to end, so inside the transaction it would
 * wait for itself; on PostgreSQL it would quietly be no part of it. Both are refused.
 */
export function createDatabase(connection: Connection): Database {
  const { dialect, exclusive, kysely } = connection;
  const scope = new AsyncLocalStorage<{ open: boolean }>();

  function refuseInsideTransaction(): void {
    if (scope.getStore()?.open) {
      throw new Error('Inside a transaction, use the session that was given, not the database.');
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
    async close() {
      await kysely.destroy();
      connection.release();
    },
  };
}
