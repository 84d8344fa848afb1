import type { Migration } from '../../platform/database/migration.ts';

export const hostedAccounts: Migration = {
  number: 14,
  name: 'hosted-accounts',
  async up(query) {
    await query.schema
      .createTable('hosted_accounts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('decided_at', 'bigint')
      .execute();
    await query.schema
      .createTable('hosted_registrations')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('attempts', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('hosted_registrations_primary', ['source', 'hour'])
      .execute();
  },
};
