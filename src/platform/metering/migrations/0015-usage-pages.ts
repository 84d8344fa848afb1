import type { Migration } from '../../database/migration.ts';

export const usagePages: Migration = {
  number: 15,
  name: 'usage-pages',
  async up(query) {
    await query.schema
      .alterTable('usage_days')
      .addColumn('pages', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
