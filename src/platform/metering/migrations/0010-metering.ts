import type { Migration } from '../../database/migration.ts';

export const metering: Migration = {
  number: 10,
  name: 'metering',
  async up(query) {
    await query.schema
      .createTable('key_quotas')
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('budget', 'text', (column) => column.notNull())
      .addColumn('period', 'bigint', (column) => column.notNull())
      .addColumn('used', 'bigint', (column) => column.notNull())
      .addColumn('granted', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('key_quotas_primary', ['key', 'budget', 'period'])
      .execute();
    await query.schema
      .createTable('metering_processes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await query.schema
      .createTable('key_places')
      .addColumn('process', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('places', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('key_places_primary', ['process', 'key'])
      .execute();
    await query.schema.createIndex('usage_days_key').on('usage_days').columns(['key', 'day']).execute();
  },
};
