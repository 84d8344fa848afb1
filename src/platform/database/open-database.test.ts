import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeOnEachDatabase, describeOnPostgres } from '../../../test/testkit/stores/databases.ts';
import { openDatabase } from '../../../test/testkit/stores/open-database.ts';
import { migrations } from '../../migrations.ts';
import { StartupError } from '../startup-error.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migration.ts';
import type { Tables } from './tables.ts';

function apiKey(id: string): Omit<Tables['api_keys'], 'version' | 'pending'> {
  return {
    id,
    name: 'a key',
    owner: null,
    prefix: 'rh-abc',
    hash: `hash of ${id}`,
    scopes: '["admin"]',
    limits: '{}',
    created_at: 1_790_000_000_123,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
  };
}

describeOnEachDatabase('openDatabase', (databases) => {
  test('makes the tables, and finds its rows again after it was closed', async () => {
    const url = await databases.create();
    const first = await openDatabase({ url });
    await first.query.insertInto('api_keys').values(apiKey('one')).execute();
    await first.close();

    const second = await openDatabase({ url });
    const row = await second.query.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
    const steps = await second.query.selectFrom('schema_migrations').selectAll().orderBy('number').execute();
    await second.close();

    expect(row).toEqual({ ...apiKey('one'), version: 0, pending: 0 });
    expect(steps.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  });

  test('reads big numbers and counts as numbers', async () => {
    const database = await openDatabase({ url: await databases.create() });
    await database.query.insertInto('api_keys').values(apiKey('one')).execute();
    const row = await database.query
      .selectFrom('api_keys')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('created_at').as('created_at')])
      .executeTakeFirstOrThrow();
    await database.close();
    expect(row).toEqual({ count: 1, created_at: 1_790_000_000_123 });
  });

  test('refuses a database newer than the program, and changes nothing', async () => {
    const url = await databases.create();
    const database = await openDatabase({ url });
    await database.query
      .insertInto('schema_migrations')
      .values({ number: 900, name: 'from-the-future', applied_at: 0 })
      .execute();
    await database.close();
    await expect(openDatabase({ url })).rejects.toThrow(
      new StartupError(
        `The database was created by a newer version of Roundhouse (migration 900; this version knows ${migrations.length}): run that version, or restore a backup from before the upgrade. Nothing was changed.`,
      ),
    );
  });

  test('a migration that fails leaves nothing of itself behind', async () => {
    const database = await openDatabase({ url: await databases.create() });
    const number = migrations.length + 1;
    const broken: Migration = {
      number,
      name: 'broken',
      async up(query) {
        await query.schema.createTable('half').addColumn('id', 'integer').execute();
        throw new Error('no further');
      },
    };
    await expect(migrate(database, [...migrations, broken])).rejects.toThrow('no further');

    const whole: Migration = {
      number,
      name: 'whole',
      up: (query) => query.schema.createTable('half').addColumn('id', 'integer').execute(),
    };
    await migrate(database, [...migrations, whole]);
    await database.close();
  });

  test('a transaction is one: all of it or nothing', async () => {
    const database = await openDatabase({ url: await databases.create() });
    const told: string[] = [];
    await expect(
      database.transaction(async (session) => {
        session.afterCommit(() => told.push('rolled back'));
        await session.query.insertInto('api_keys').values(apiKey('one')).execute();
        await session.query.insertInto('api_keys').values(apiKey('one')).execute();
      }),
    ).rejects.toThrow();
    await database.transaction(async (session) => {
      session.afterCommit(() => told.push('committed'));
      await session.query.insertInto('api_keys').values(apiKey('two')).execute();
      expect(told).toEqual([]);
    });
    const rows = await database.query.selectFrom('api_keys').select('id').execute();
    await database.close();
    expect(rows).toEqual([{ id: 'two' }]);
    expect(told).toEqual(['committed']);
  });

  test('inside a transaction the database itself is refused', async () => {
    const database = await openDatabase({ url: await databases.create() });
    await expect(
      database.transaction(() => database.query.selectFrom('api_keys').selectAll().execute()),
    ).rejects.toThrow('use the session passed to it');
    await expect(database.transaction(() => database.transaction(async () => 1))).rejects.toThrow(
      'use the session passed to it',
    );
    await database.close();
  });
});

describe('openDatabase on a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'roundhouse-open-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function refusal(path: string): Promise<string> {
    const error = await openDatabase({ url: `sqlite:${path}` }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StartupError);
    return (error as Error).message;
  }

  test('makes the folder, for its owner alone', async () => {
    const path = join(folder, 'new', 'data', 'roundhouse.db');
    await (await openDatabase({ url: `sqlite:${path}` })).close();
    expect(statSync(join(folder, 'new', 'data')).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is durable: WAL, synchronous FULL, foreign keys', async () => {
    const database = await openDatabase({ url: `sqlite:${join(folder, 'roundhouse.db')}` });
    const read = async (pragma: string) =>
      (await sql.raw(`pragma ${pragma}`).execute(database.query)).rows[0];
    const settings = [await read('journal_mode'), await read('synchronous'), await read('foreign_keys')];
    await database.close();
    expect(settings).toEqual([{ journal_mode: 'wal' }, { synchronous: 2 }, { foreign_keys: 1 }]);
  });

  test('a file that is no database stays as it is', async () => {
    const path = join(folder, 'roundhouse.db');
    const text = 'these are my notes, not a database. '.repeat(100);
    writeFileSync(path, text);
    expect(await refusal(path)).toBe(`The database ${path} can't be opened: it is not an SQLite database.`);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('a damaged database is named as such', async () => {
    const path = join(folder, 'roundhouse.db');
    await (await openDatabase({ url: `sqlite:${path}` })).close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100, 4096));
    expect(await refusal(path)).toBe(
      `The database ${path} can't be opened: it is damaged; restore it from a backup.`,
    );
  });

  test('damage further in is named as well', async () => {
    const path = join(folder, 'roundhouse.db');
    await (await openDatabase({ url: `sqlite:${path}` })).close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 4096));
    expect(await refusal(path)).toContain('it is damaged; restore it from a backup.');
  });

  test('a path through a file', async () => {
    writeFileSync(join(folder, 'data'), '');
    expect(await refusal(join(folder, 'data', 'roundhouse.db'))).toBe(
      `The data folder ${join(folder, 'data')} can't be created: part of that path is a file, not a folder.`,
    );
  });

  test('a folder without permission', async () => {
    const closed = join(folder, 'closed');
    chmodSync(folder, 0o755);
    mkdirSync(closed, { mode: 0o555 });
    const asRoot = process.getuid?.() === 0;
    // Permissions do not bind root, so root steps down for the attempt; the folder then belongs to someone else.
    if (asRoot) process.seteuid?.(65_534);
    try {
      expect(await refusal(join(closed, 'data', 'roundhouse.db'))).toContain('permission denied');
      expect(await refusal(join(closed, 'roundhouse.db'))).toContain('no permission');
    } finally {
      if (asRoot) process.seteuid?.(0);
    }
  });

  test('an address of another kind', async () => {
    await expect(openDatabase({ url: 'mysql://root:hunter2@db/x' })).rejects.toThrow(
      new StartupError('The database URL must start with "sqlite:" or "postgres://".'),
    );
  });

  describe('while another process has it', () => {
    const holderProgram = `
      const { openDatabase } = await import(${JSON.stringify(join(import.meta.dirname, '../../../test/testkit/stores/open-database.ts'))});
      await openDatabase({ url: process.argv[1] });
      console.log('open');
      setInterval(() => {}, 1000);`;
    let holder: ChildProcess;
    afterEach(() => holder.kill('SIGKILL'));

    test('says which, and opens as soon as that one was killed', async () => {
      const path = join(folder, 'roundhouse.db');
      holder = spawn(process.execPath, ['--input-type=module', '-e', holderProgram, `sqlite:${path}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      if (holder.stdout) await once(holder.stdout, 'data');
      expect(await refusal(path)).toBe(
        `${path} is in use by another Roundhouse process (pid ${holder.pid}): stop that process first, or use another data folder. Several processes can share only a PostgreSQL database (database.url).`,
      );
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      await (await openDatabase({ url: `sqlite:${path}` })).close();
    });
  });
});

describeOnPostgres('openDatabase on a server', (databases) => {
  test('several processes that start at once migrate once', async () => {
    const url = await databases.create();
    const opened = await Promise.all(Array.from({ length: 6 }, () => openDatabase({ url })));
    const steps = await opened[0]?.query.selectFrom('schema_migrations').select('number').execute();
    await Promise.all(opened.map((database) => database.close()));
    expect(steps).toHaveLength(migrations.length);
  });

  test('outlives a connection that is lost inside a transaction', async () => {
    const database = await openDatabase({ url: await databases.create() });
    const cut = database.transaction(async (session) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(session.query);
      const other = new pg.Client({ connectionString: await databases.create() });
      await other.connect();
      await other.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
      await other.end();
      await session.query.selectFrom('api_keys').selectAll().execute();
    });
    await expect(cut).rejects.toThrow();
    expect(await database.query.selectFrom('api_keys').selectAll().execute()).toEqual([]);
    await database.close();
  });

  test('a database that is not there', async () => {
    const url = (await databases.create()).replace(/\/[^/]*$/, '/absent');
    await expect(openDatabase({ url })).rejects.toThrow(
      /^The database at 127.0.0.1:\d+\/absent can't be reached: that database does not exist.$/,
    );
  });

  test('a server that is not there; the password is not in the message', async () => {
    const error = await openDatabase({ url: 'postgres://someone:hunter2@127.0.0.1:1/x' }).catch(
      (reason) => reason,
    );
    expect(error).toEqual(
      new StartupError("The database at 127.0.0.1:1/x can't be reached: nothing listens there."),
    );
    expect(String(error.stack)).not.toContain('hunter2');
  });
});
