import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { StartupError } from '../startup-error.ts';
import { createDatabase, type Database } from './database.ts';
import { withProblems } from './database-problems.ts';
import { lockBeside } from './folder-lock.ts';
import type { Tables } from './tables.ts';

const keptStatements = 500;

/** Uses a single connection, which kysely gives to one query or transaction at a time. */
export function openSqlite(path: string): Database {
  const file = resolve(path);
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartupError(`The data folder ${folder} can't be created: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  const lock = guard(file, () => lockBeside(file));
  try {
    const sqlite = guard(file, () => connect(file));
    return createDatabase({
      dialect: 'sqlite',
      exclusive: true,
      kysely: new Kysely<Tables>({
        dialect: withProblems(new SqliteDialect({ database: keepingStatements(sqlite) })),
      }),
      release: lock.release,
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function connect(file: string): Sqlite.Database {
  // SQLite treats an empty file as a new database, and creates its WAL files with the same permissions.
  closeSync(openSync(file, 'a', 0o600));
  const isNew = statSync(file).size === 0;
  const sqlite = new Sqlite(file, { timeout: 5_000 });
  try {
    // Reads the header and the schema before writing anything, so that a file that is not ours stays unchanged.
    if (!isNew) sqlite.prepare('select count(*) from sqlite_schema').get();
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('journal_size_limit = 67108864');
    sqlite.pragma('cache_size = -16000');
    sqlite.pragma('temp_store = MEMORY');
    // Overwrites what is deleted: the text of a deleted document must not survive in the file.
    sqlite.pragma('secure_delete = ON');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Caches prepared statements: kysely prepares each one again, which costs more than running most of ours. */
function keepingStatements(sqlite: Sqlite.Database) {
  const statements = new Map<string, Sqlite.Statement<unknown[]>>();
  return {
    prepare(text: string): Sqlite.Statement<unknown[]> {
      let statement = statements.get(text);
      if (!statement) {
        statement = sqlite.prepare<unknown[]>(text);
        if (statements.size >= keptStatements) statements.clear();
        statements.set(text, statement);
      }
      return statement;
    },
    close: () => void sqlite.close(),
  };
}

function guard<Result>(file: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database ${file} can't be opened: ${reasonOf(error)}.`, { cause: error });
  }
}

/** A readable reason for the person at the terminal. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EROFS' || code.startsWith('SQLITE_READONLY')) return 'it is read-only';
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return 'the disk is full';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'part of that path is a file, not a folder';
  if (code === 'SQLITE_CANTOPEN') return 'no permission to read and write it, or it is not a file';
  if (code === 'SQLITE_NOTADB') return 'it is not an SQLite database';
  if (code.startsWith('SQLITE_CORRUPT')) return 'it is damaged; restore it from a backup';
  return message;
}
