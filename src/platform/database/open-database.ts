import { StartupError } from '../startup-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migration.ts';
import { openSqlite, reasonOf } from './open-sqlite.ts';

interface OpenDatabaseOptions {
  /** `sqlite:<path>` or `postgres://user:password@host:port/name`. */
  url: string;
  /** The migrations of all rooms, in order. */
  migrations: readonly Migration[];
  logger?: Pick<Logger, 'debug' | 'warn'>;
}

/** Opens the database and runs pending migrations. Throws a `StartupError` if it can't be used. */
export async function openDatabase({ url, migrations, logger }: OpenDatabaseOptions): Promise<Database> {
  const database = await connect(url, logger);
  try {
    await migrate(database, migrations, logger);
    return database;
  } catch (error) {
    await database.close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database can't be migrated: ${reasonOf(error)}.`, { cause: error });
  }
}

async function connect(url: string, logger?: Pick<Logger, 'warn'>): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Loaded on demand: most installations don't use it.
    const { openPostgres } = await import('./open-postgres.ts');
    return openPostgres(url, logger);
  }
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path) return openSqlite(path);
  throw new StartupError(`The database URL must start with "sqlite:" or "postgres://".`);
}
