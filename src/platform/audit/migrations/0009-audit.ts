import { countingKey, type Migration } from '../../database/migration.ts';

export const audit: Migration = {
  number: 9,
  name: 'audit',
  async up(query, dialect) {
    await query.schema
      .createTable('audit_log')
      .addColumn('id', countingKey(dialect) as never)
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('actor_kind', 'text', (column) => column.notNull())
      .addColumn('actor_id', 'text')
      .addColumn('actor_name', 'text')
      .addColumn('actor_owner', 'text')
      .addColumn('request_id', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('details_json', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .execute();
    await query.schema.createIndex('audit_log_at').on('audit_log').column('at').execute();
    await query.schema.createIndex('audit_log_subject').on('audit_log').columns(['subject', 'id']).execute();
  },
};
