import { readFileSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { StartupError } from '../startup-error.ts';

/** Another process has the database open. Commands can send their request to that process instead. */
export class DatabaseInUse extends StartupError {}

/**
 * Prevents a second process from opening a database file. The lock is SQLite's own, on an empty file next to
 * it, so the operating system releases it however the process dies. The holder's pid is in a separate file,
 * because opening and closing the locked file in this process would release the lock.
 */
export function lockBeside(databaseFile: string): { release(): void } {
  const stem = databaseFile.replace(/\.[^./]+$/, '');
  const holderFile = `${stem}.pid`;
  const lock = new Sqlite(`${stem}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new DatabaseInUse(
      `${databaseFile} is in use by another Roundhouse process${holderOf(holderFile)}: stop that process first, or use another data folder. Several processes can share only a PostgreSQL database (database.url).`,
    );
  }
  writeFileSync(holderFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function holderOf(holderFile: string): string {
  try {
    return ` (pid ${Number.parseInt(readFileSync(holderFile, 'utf8'), 10)})`;
  } catch {
    return '';
  }
}
