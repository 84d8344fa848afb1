import type { Migration } from '../../platform/database/migration.ts';

export const datasets: Migration = {
  number: 5,
  name: 'datasets',
  async up(query) {
    await query.schema
      .createTable('datasets')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('examples', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
