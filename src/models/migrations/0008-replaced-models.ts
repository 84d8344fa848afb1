import type { Migration } from '../../platform/database/migration.ts';

export const replacedModels: Migration = {
  number: 8,
  name: 'replaced-models',
  async up(query) {
    await query.schema
      .createTable('replaced_models')
      .addColumn('folder', 'text', (column) => column.primaryKey())
      .addColumn('model_id', 'text', (column) => column.notNull())
      .addColumn('record_json', 'text', (column) => column.notNull())
      .execute();
  },
};
