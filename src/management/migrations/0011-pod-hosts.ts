import type { Migration } from '../../platform/database/migration.ts';

/** Several platforms can share a database: pods and work say which machine they belong to. */
export const podHosts: Migration = {
  number: 11,
  name: 'pod-hosts',
  async up(query) {
    await query.schema.alterTable('deployment_pods').addColumn('machine', 'text').execute();
    await query.schema.alterTable('planned_pods').addColumn('machine', 'text').execute();
    await query.schema.alterTable('work_items').addColumn('machine', 'text').execute();
    await query.schema
      .alterTable('pods')
      .addColumn('retired', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
