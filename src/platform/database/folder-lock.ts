import { readFileSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { StartupError } from '../startup-error.ts';

/** Another process holds the database. Commands that only want to ask it something go to that process instead. */
export class DatabaseInUse extends StartupError {}

/**
 * Keeps a second process off a database file. The lock is SQLite's own, on an empty file beside it, so
 * the operating system drops it when the process dies, however it dies. The holder's process number is
 * in a file of its own: opening and closing the locked file here would drop the lock.
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
      `${databaseFile} is in use by another Roundhouse process${holderOf(holderFile)}: stop that one first, or give this one another data folder.`,
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
