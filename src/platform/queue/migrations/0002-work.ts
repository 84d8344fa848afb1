import { sql } from 'kysely';
import { countingKey, type Migration } from '../../database/migration.ts';

export const work: Migration = {
  number: 2,
  name: 'work',
  async up(query, dialect) {
    await query.schema
      .createTable('work_items')
      .addColumn('seq', countingKey(dialect) as never)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('subject', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('priority', 'integer', (column) => column.notNull())
      .addColumn('not_before', 'bigint', (column) => column.notNull())
      .addColumn('unique_key', 'text')
      .addColumn('key_count', 'integer', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('progress', 'text')
      .addColumn('result', 'text')
      .addColumn('error', 'text')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('runner', 'text')
      .addColumn('claim', 'integer', (column) => column.notNull())
      .addColumn('lease_until', 'bigint')
      .addColumn('blocked_by', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .execute();
    await query.schema
      .createTable('work_keys')
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('item', 'bigint', (column) =>
        column.notNull().references('work_items.seq').onDelete('cascade'),
      )
      .addColumn('place', 'bigint', (column) => column.notNull())
      .addColumn('held', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('work_keys_primary', ['item', 'key'])
      .execute();
    for (const index of [
      sql`create index work_items_waiting on work_items (kind, priority desc, seq, not_before) where state = 'CREATED' and blocked_by is null`,
      sql`create unique index work_items_unique on work_items (unique_key) where state in ('CREATED', 'RUNNING')`,
      sql`create index work_items_leased on work_items (lease_until) where lease_until is not null`,
      sql`create index work_items_blocked on work_items (blocked_by) where blocked_by is not null`,
      sql`create index work_items_ended on work_items (kind, finished_at) where finished_at is not null`,
      sql`create index work_items_subject on work_items (subject, seq) where subject is not null`,
      sql`create index work_keys_line on work_keys (key, place)`,
      // Makes the database itself guarantee that two items with a common key never run at the same time.
      sql`create unique index work_keys_held on work_keys (key) where held = 1`,
    ]) {
      await index.execute(query);
    }
  },
};
