import { closeSync, openSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { Damaged } from './point-rows.ts';

/** 'RhVc': marks a file of this store. */
const APPLICATION = 0x52_68_56_63;
/** A file of another version is removed, and its points are made again. */
const VERSION = 1;
/** Several vectors fit on a page. */
const PAGE_SIZE = 8_192;
/** How long to wait for another process that is writing or reading. */
const PATIENCE = 10_000;

const SCHEMA = `
  create table state (
    dimensions integer,
    change integer not null
  );
  create table points (
    id integer primary key,
    "group" integer not null,
    change integer not null,
    scale real not null,
    codes blob,
    terms blob not null,
    checksum integer not null
  );
  create index points_by_group on points ("group");
  create index points_by_change on points (change, id);
  create table vectors (
    id integer primary key,
    vector blob not null,
    sentences blob
  );
`;

/** Writes a new, empty collection to a file that doesn't exist yet. */
export function createPointsFile(file: string, dimensions: number | null): void {
  reserveFile(file);
  const sqlite = new Sqlite(file);
  try {
    sqlite.pragma(`page_size = ${PAGE_SIZE}`);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.exec(SCHEMA);
    sqlite.prepare('insert into state (dimensions, change) values (?, 0)').run(dimensions);
    sqlite.pragma(`application_id = ${APPLICATION}`);
    sqlite.pragma(`user_version = ${VERSION}`);
  } finally {
    sqlite.close();
  }
}

/** Opens the file of a collection. Throws `Damaged` if it is something else. */
export function openPointsFile(file: string): Sqlite.Database {
  const sqlite = new Sqlite(file, { fileMustExist: true, timeout: PATIENCE });
  try {
    const application = sqlite.pragma('application_id', { simple: true });
    const version = sqlite.pragma('user_version', { simple: true });
    if (application !== APPLICATION || version !== VERSION)
      throw new Damaged(`it is not a collection of version ${VERSION}`);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('secure_delete = ON');
    sqlite.pragma('cache_size = -4000');
    sqlite.pragma('temp_store = MEMORY');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Copies the file a few pages at a time, so that other collections are served meanwhile. */
export async function copyPointsFile(from: Sqlite.Database, to: string): Promise<void> {
  reserveFile(to);
  await from.backup(to, { progress: () => 500 });
}

/** SQLite gives its companions the permissions of the file. */
function reserveFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}
