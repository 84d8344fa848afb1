import type { Migration } from '../../platform/database/migration.ts';

export const deployments: Migration = {
  number: 7,
  name: 'deployments',
  async up(query) {
    await query.schema
      .createTable('deployments')
      .addColumn('slot', 'text', (column) => column.primaryKey())
      .addColumn('model_id', 'text', (column) => column.notNull())
      .addColumn('adapter_ids', 'text', (column) => column.notNull())
      .addColumn('engine', 'text', (column) => column.notNull())
      .addColumn('dtype', 'text')
      .addColumn('replicas', 'integer', (column) => column.notNull())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('deployed_at', 'bigint', (column) => column.notNull())
      .addColumn('replaced_model_id', 'text')
      .execute();
    await query.schema
      .createTable('deployment_pods')
      .addColumn('pod_id', 'text', (column) => column.primaryKey())
      .addColumn('slot', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('spec', 'text', (column) => column.notNull())
      .execute();
  },
};
