import { migrations } from '../../src/migrations.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openDatabase as open } from '../../src/platform/database/open-database.ts';

/** Opens a database with the tables of every room. */
export function openDatabase({ url }: { url: string }): Promise<Database> {
  return open({ url, migrations });
}
