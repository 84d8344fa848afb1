import type { Migration } from '../../database/migration.ts';

export const pendingKeys: Migration = {
  number: 13,
  name: 'pending-keys',
  async up(query) {
    await query.schema
      .alterTable('api_keys')
      .addColumn('pending', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
