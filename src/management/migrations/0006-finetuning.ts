import type { Migration } from '../../platform/database/migration.ts';

export const finetuning: Migration = {
  number: 6,
  name: 'finetuning',
  async up(query) {
    await query.schema
      .createTable('finetune_runs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('model_id', 'text', (column) => column.notNull())
      .addColumn('dataset_id', 'text', (column) => column.notNull())
      .addColumn('hyperparameters_json', 'text', (column) => column.notNull())
      .addColumn('progress_json', 'text')
      .addColumn('curve_json', 'text')
      .addColumn('comparison_json', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await query.schema.createIndex('finetune_runs_by_name').on('finetune_runs').column('name').execute();
  },
};
