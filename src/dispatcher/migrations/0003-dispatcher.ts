import type { Migration } from '../../platform/database/migration.ts';

export const dispatcher: Migration = {
  number: 3,
  name: 'dispatcher',
  async up(query) {
    await query.schema
      .createTable('pods')
      .addColumn('pod_id', 'text', (column) => column.primaryKey())
      .addColumn('info', 'text', (column) => column.notNull())
      .addColumn('reported_at', 'bigint', (column) => column.notNull())
      .execute();
    await query.schema.createIndex('pods_reported_at').on('pods').column('reported_at').execute();
    await query.schema
      .createTable('planned_pods')
      .addColumn('pod_id', 'text', (column) => column.primaryKey())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('plan', 'text', (column) => column.notNull())
      .addColumn('deployed', 'integer', (column) => column.notNull())
      .execute();
    await query.schema
      .createTable('usage_days')
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('pod', 'text', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'bigint', (column) => column.notNull())
      .addColumn('prompt_tokens', 'bigint', (column) => column.notNull())
      .addColumn('completion_tokens', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_days_primary', ['day', 'key', 'model', 'pod'])
      .execute();
  },
};
