import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { StartupError } from '../startup-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createDatabase, type Database } from './database.ts';
import { withProblems } from './database-problems.ts';
import type { Tables } from './tables.ts';

const oldestVersion = 150_000;
const bigintType = 20;

export async function openPostgres(url: string, logger?: Pick<Logger, 'warn'>): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'roundhouse',
    max: 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    types: { getTypeParser: (type: number, format?: 'text' | 'binary') => parserOf(type, format) },
  });
  // The pool replaces a lost connection at the next query, but an error event without a listener would end the
  // process. The pool listens to idle connections only; one can also be lost inside a transaction.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => logger?.warn({ err: error }, 'an idle database connection was lost'));
  try {
    await checkServer(pool);
  } catch (error) {
    await pool.end();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database at ${placeOf(url)} can't be reached: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  return createDatabase({
    dialect: 'postgres',
    exclusive: false,
    kysely: new Kysely<Tables>({ dialect: withProblems(new PostgresDialect({ pool })) }),
    release: () => {},
  });
}

async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ number: string; name: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  );
  const version = rows[0];
  if (version && Number(version.number) < oldestVersion) {
    throw new StartupError(`The database server is PostgreSQL ${version.name}; 15 or newer is required.`);
  }
}

/** Our bigints are milliseconds, sequence numbers and counts, all far below 2^53. */
function parserOf(type: number, format?: 'text' | 'binary') {
  return type === bigintType ? Number : pg.types.getTypeParser(type, format);
}

/** Host, port and database name; not the URL itself, because it contains the password. */
function placeOf(url: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url);
    return `${hostname || searchParams.get('host') || 'localhost'}:${port || '5432'}${pathname}`;
  } catch {
    return 'the configured address';
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'nothing listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is unknown';
  if (code === '28P01' || code === '28000') return 'the user name or password was rejected';
  if (code === '3D000') return 'that database does not exist';
  return message;
}
