import type { Migration } from '../../platform/database/migration.ts';

export const deploymentOptions: Migration = {
  number: 12,
  name: 'deployment-options',
  async up(query) {
    await query.schema
      .alterTable('deployments')
      .addColumn('options', 'text', (column) => column.notNull().defaultTo('{}'))
      .execute();
  },
};
