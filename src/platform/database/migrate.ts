import { sql } from 'kysely';
import { StartupError } from '../startup-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, Session } from './database.ts';
import type { Migration } from './migration.ts';

/** An arbitrary advisory lock id that nothing else in the database uses. */
const migrationLock = 7_205_001;

/**
 * Runs pending migrations, each in one transaction with its record. kysely's own Migrator runs SQLite
 * migrations outside a transaction, so a kill could leave one half applied.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  logger?: Pick<Logger, 'debug'>,
): Promise<void> {
  const newest = migrations.at(-1)?.number ?? 0;
  // Read first without writing, so that a database that is too new or up to date stays untouched.
  let reached = await database.transaction((session) => reachedBy(session, newest));
  while (reached < newest) {
    reached = await database.transaction((session) => step(session, migrations, logger));
  }
}

async function step(
  session: Session,
  migrations: readonly Migration[],
  logger?: Pick<Logger, 'debug'>,
): Promise<number> {
  if (session.dialect === 'postgres') {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(session.query);
  }
  await session.query.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  const reached = await reachedBy(session, migrations.at(-1)?.number ?? 0);
  const next = migrations.find((migration) => migration.number === reached + 1);
  if (!next) return reached;
  await next.up(session.query as never, session.dialect);
  const { number, name } = next;
  await session.query
    .insertInto('schema_migrations')
    .values({ number, name, applied_at: Date.now() })
    .execute();
  session.afterCommit(() => logger?.debug({ migration: `${number}-${name}` }, 'database migrated'));
  return number;
}

async function reachedBy(session: Session, newest: number): Promise<number> {
  const { rows: found } = await (session.dialect === 'sqlite'
    ? sql`select 1 from sqlite_schema where name = 'schema_migrations'`
    : sql`select 1 where to_regclass('schema_migrations') is not null`
  ).execute(session.query);
  if (found.length === 0) return 0;
  const { reached } = await session.query
    .selectFrom('schema_migrations')
    .select((expression) => expression.fn.max('number').as('reached'))
    .executeTakeFirstOrThrow();
  if (Number(reached) > newest) {
    throw new StartupError(
      `The database was created by a newer version of Roundhouse (migration ${reached}; this version knows ${newest}): run that version, or restore a backup from before the upgrade. Nothing was changed.`,
    );
  }
  return Number(reached ?? 0);
}
