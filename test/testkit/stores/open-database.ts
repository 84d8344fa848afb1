import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../../src/migrations.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { openDatabase as open } from '../../../src/platform/database/open-database.ts';

/** Opens a database with the tables of every room. */
export function openDatabase({ url }: { url: string }): Promise<Database> {
  return open({ url, migrations });
}

/** A new SQLite database in a folder of its own. */
export function openTemporaryDatabase(): Promise<Database> {
  return openDatabase({
    url: `sqlite:${join(mkdtempSync(join(tmpdir(), 'roundhouse-database-')), 'test.db')}`,
  });
}
