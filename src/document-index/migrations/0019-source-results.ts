import type { Migration } from '../../platform/database/migration.ts';

export const sourceResults: Migration = {
  number: 19,
  name: 'source-results',
  async up(query) {
    await query.schema.alterTable('bot_documents').addColumn('containers_json', 'text').execute();
    await query.schema.alterTable('bot_sources').addColumn('synced_at', 'bigint').execute();
    await query.schema.alterTable('bot_sources').addColumn('counts_json', 'text').execute();
    await query.schema.alterTable('bot_sources').addColumn('error', 'text').execute();
  },
};
