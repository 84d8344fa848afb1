import { sql } from 'kysely';
import { countingKey, type Migration } from '../../platform/database/migration.ts';

export const botSources: Migration = {
  number: 18,
  name: 'bot-sources',
  async up(query, dialect) {
    await query.schema
      .createTable('bot_sources')
      .addColumn('id', countingKey(dialect) as never)
      .addColumn('bot', 'text', (column) => column.notNull().references('bots.id').onDelete('cascade'))
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await sql`create unique index bot_sources_url on bot_sources (bot, type, url)`.execute(query);
    await query.schema.alterTable('bots').addColumn('sync_every', 'bigint').execute();
    await query.schema.alterTable('bots').addColumn('sync_due_at', 'bigint').execute();
    await query.schema.alterTable('bot_documents').addColumn('path_json', 'text').execute();
  },
};
