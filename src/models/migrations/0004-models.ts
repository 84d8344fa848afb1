import type { Migration } from '../../platform/database/migration.ts';

export const models: Migration = {
  number: 4,
  name: 'models',
  async up(query) {
    await query.schema
      .createTable('models')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('adapter', 'integer', (column) => column.notNull())
      .addColumn('base_model_id', 'text')
      .addColumn('origin_model_id', 'text')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('repository', 'text')
      .addColumn('revision', 'text')
      .addColumn('format', 'text', (column) => column.notNull())
      .addColumn('folder', 'text', (column) => column.notNull())
      .addColumn('entry', 'text', (column) => column.notNull())
      .addColumn('files_json', 'text', (column) => column.notNull())
      .addColumn('facts_json', 'text', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
