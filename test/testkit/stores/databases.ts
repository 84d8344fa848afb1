import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { requirement } from '../requirement.ts';
import { type PostgresServer, postgresBinaries, startPostgres } from './postgres.ts';

export interface TestDatabases {
  /** The address of a new, empty database. */
  create(): Promise<string>;
}

const postgres = await requirement('postgresql', () =>
  postgresBinaries() === null ? 'install PostgreSQL 15 or newer (Debian: postgresql)' : true,
);

/** Runs the same tests on each supported database. */
export function describeOnEachDatabase(title: string, tests: (databases: TestDatabases) => void): void {
  describe(`${title} (SQLite)`, () => onSqlite(tests));
  describe.runIf(postgres.available)(`${title} (PostgreSQL)`, () => onPostgres(tests));
}

/** For tests with several processes on one database. */
export function describeOnPostgres(title: string, tests: (databases: TestDatabases) => void): void {
  describe.runIf(postgres.available)(title, () => onPostgres(tests));
}

function onSqlite(tests: (databases: TestDatabases) => void): void {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  tests({
    async create() {
      const folder = mkdtempSync(join(tmpdir(), 'roundhouse-database-'));
      folders.push(folder);
      return `sqlite:${join(folder, 'roundhouse.db')}`;
    },
  });
}

function onPostgres(tests: (databases: TestDatabases) => void): void {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  tests({ create: () => server.createDatabase() });
}
